"""Common models of health data, read as one table with a row a person.

A hospital's data come in dozens of tables or in a file a patient, and de-identification speaks of
one record a person. Here two common forms are joined, in the engine, into that one table: the OMOP
Common Data Model, and FHIR R4 resources. `readers.open_health` opens ``omop:FOLDER`` and
``fhir:FOLDER``; `condition_groups.write_condition_hierarchy` writes the groups that a vocabulary
puts conditions in.
"""
