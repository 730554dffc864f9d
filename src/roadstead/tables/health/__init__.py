"""Read common models of health data as one table with one row per person.

The models are the OMOP Common Data Model and FHIR R4 resources. `readers.open_health` opens
``omop:FOLDER`` and ``fhir:FOLDER``. `condition_groups.write_condition_hierarchy` writes a
vocabulary's groups of conditions.
"""
