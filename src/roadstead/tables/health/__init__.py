"""Read common models of health data as one table with one row per person.

The data of a hospital is in dozens of tables, or in one file per patient, but de-identification
needs one record per person. This package joins two common forms, in the engine, into one table: the
OMOP Common Data Model, and FHIR R4 resources. `readers.open_health` opens ``omop:FOLDER`` and
``fhir:FOLDER``; `condition_groups.write_condition_hierarchy` writes the groups of conditions in a
vocabulary.
"""
