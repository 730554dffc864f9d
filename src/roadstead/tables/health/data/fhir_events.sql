-- The patient of each Encounter and Condition, the number of Encounters, and the condition codes.
-- A reference is the address of an entry in a bundle, or ends with the patient's ID.
CREATE TEMP TABLE owned AS
WITH referring AS (
    SELECT kind, resource, resource->>'$.subject.reference' AS reference,
        coalesce(resource->>'$.id', url) AS own
    FROM resources WHERE kind IN ('Encounter', 'Condition')
),
addresses AS (
    SELECT url, min(patient_id) AS patient_id FROM patients WHERE url IS NOT NULL GROUP BY url
)
SELECT kind, resource, own, row_number() OVER () AS row,
    coalesce(
        addresses.patient_id,
        nullif(regexp_extract(
            reference, '(?:(?:^|/)Patient/|^urn:uuid:)([^/?#|]+)', 1
        ), ''), ''
    ) AS patient_id
FROM referring LEFT JOIN addresses ON reference = addresses.url;

CREATE TEMP TABLE encounters AS
SELECT patient_id, count(DISTINCT coalesce('id ' || own, 'row ' || row)) AS encounters
FROM owned
WHERE kind = 'Encounter' AND (resource->>'$.status') IS DISTINCT FROM 'entered-in-error'
GROUP BY patient_id;

CREATE TEMP TABLE codes AS
WITH codings AS (
    SELECT patient_id, row, unnest(json_extract(resource, '$.code.coding[*]')) AS coding
    FROM owned
    WHERE kind = 'Condition' AND coalesce(
        resource->>'$.verificationStatus.coding[0].code', ''
    ) NOT IN ('entered-in-error', 'refuted')
)
SELECT patient_id, row, coalesce(coding->>'$.system', '') AS system,
    trim(coding->>'$.code') AS code
FROM codings WHERE trim(coding->>'$.code') <> '';
