-- The fields of each Patient that a release may need, such as US Core categories and home address.
CREATE TEMP MACRO category(parts) AS coalesce(
    nullif(list_aggregate(list_sort(list_distinct(list_transform(
        list_filter(parts, lambda part: (part->>'$.url') = 'ombCategory'),
        lambda part: coalesce(part->>'$.valueCoding.display', part->>'$.valueCoding.code')
    ))), 'string_agg', '; '), ''),
    list_filter(parts, lambda part: (part->>'$.url') = 'text')[1]->>'$.valueString'
);

CREATE TEMP TABLE patients AS
WITH parts AS (
    SELECT url, resource,
        json_extract(resource, '$.address[*]') AS addresses,
        json_extract(resource, '$.extension[*]') AS extensions
    FROM resources WHERE kind = 'Patient'
),
chosen AS (
    SELECT *,
        coalesce(
            list_filter(addresses, lambda one: (one->>'$.use') = 'home')[1],
            list_filter(
                addresses,
                lambda one: coalesce(one->>'$.use', '') NOT IN ('old', 'temp', 'billing')
            )[1]
        ) AS address,
        json_extract(
            list_filter(extensions, lambda one: (one->>'$.url') = $race)[1], '$.extension[*]'
        ) AS races,
        json_extract(
            list_filter(extensions, lambda one: (one->>'$.url') = $ethnicity)[1],
            '$.extension[*]'
        ) AS ethnicities
    FROM parts
)
SELECT
    coalesce(trim(resource->>'$.id'), '') AS patient_id,
    url,
    resource->>'$.birthDate' AS birth_date,
    resource->>'$.gender' AS gender,
    category(races) AS race,
    category(ethnicities) AS ethnicity,
    address->>'$.postalCode' AS postal_code,
    address->>'$.city' AS city,
    address->>'$.state' AS state,
    coalesce(
        resource->>'$.maritalStatus.coding[0].code', resource->>'$.maritalStatus.text'
    ) AS marital_status,
    CASE WHEN (resource->>'$.deceasedDateTime') IS NOT NULL
        OR (resource->>'$.deceasedBoolean') = 'true' THEN 'yes' ELSE 'no' END AS died
FROM chosen;
