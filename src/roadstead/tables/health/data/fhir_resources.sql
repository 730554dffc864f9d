-- The resources in files, Bundles, and lines, except resources of kinds that are not used.
CREATE TEMP TABLE resources (place VARCHAR, url VARCHAR, kind VARCHAR, resource JSON);

INSERT INTO resources
WITH found AS (
    SELECT filename AS place, json AS value, json->>'$.resourceType' AS kind
    FROM read_json_objects(
        $files, format = 'unstructured', filename = true,
        compression = $compression, maximum_object_size = $longest
    )
),
entries AS (
    SELECT place, unnest(json_extract(value, '$.entry[*]')) AS entry
    FROM found WHERE kind = 'Bundle'
),
resources AS (
    SELECT place, (entry->>'$.fullUrl') AS url, entry->'$.resource' AS resource,
        entry->>'$.resource.resourceType' AS kind
    FROM entries WHERE (entry->'$.resource') IS NOT NULL
    UNION ALL
    SELECT place, NULL, value, kind FROM found WHERE kind IS DISTINCT FROM 'Bundle'
)
SELECT place, url, kind, CASE WHEN kind IS NOT NULL THEN resource END
FROM resources
WHERE kind IS NULL OR kind IN ('Patient', 'Encounter', 'Condition');
