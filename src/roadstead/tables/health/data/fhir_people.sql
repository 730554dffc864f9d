-- One row per patient, with the codes of one system.
CREATE TEMP TABLE people AS
WITH sets AS (
    SELECT patient_id, list_sort(list(DISTINCT code)) AS conditions
    FROM codes WHERE system = $system GROUP BY patient_id
)
SELECT patients.* EXCLUDE (url),
    coalesce(encounters, 0) AS encounters, coalesce(conditions, []::VARCHAR[]) AS conditions
FROM patients
    LEFT JOIN encounters USING (patient_id)
    LEFT JOIN sets USING (patient_id)
ORDER BY patient_id;
