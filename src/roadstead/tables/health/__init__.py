"""Common models of health data, read as one table with one row per person.

A hospital's data come in dozens of tables, or in one file per patient, and de-identification needs
one record per person. This package joins two common forms, in the engine, into one table: the OMOP
Common Data Model, and FHIR R4 resources. `readers.open_health` opens ``omop:FOLDER`` and
``fhir:FOLDER``; `condition_groups.write_condition_hierarchy` writes the groups of conditions in a
vocabulary.
"""
