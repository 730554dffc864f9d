"""The categories of ICD-9-CM, as public facts: three characters, ``E`` codes four.

Chapters stand at the margin, their blocks below them: the categories that exist in the block, and
what they are about, in short. The classification was kept by the National Center for Health
Statistics and the Centers for Medicare & Medicaid Services, last for fiscal year 2015; it is in
the public domain.
"""

from __future__ import annotations

CATEGORIES = """\
infectious and parasitic diseases
  001-009 intestinal infectious diseases
  010-018 tuberculosis
  020-027 zoonotic bacterial diseases
  030-041 other bacterial diseases
  042 human immunodeficiency virus
  045-049 poliomyelitis, other viral and prion diseases of central nervous system
  050-059 viral diseases generally accompanied by exanthem
  060-066 arthropod-borne viral diseases
  070-079 other diseases due to viruses and chlamydiae
  080-088 rickettsioses and other arthropod-borne diseases
  090-099 syphilis and other venereal diseases
  100-104 other spirochetal diseases
  110-112,114-118 mycoses
  120-129 helminthiases
  130-136 other infectious and parasitic diseases
  137-139 late effects of infectious and parasitic diseases
neoplasms
  140-149 malignant neoplasm of lip, oral cavity, and pharynx
  150-159 malignant neoplasm of digestive organs and peritoneum
  160-165 malignant neoplasm of respiratory and intrathoracic organs
  170-176 malignant neoplasm of bone, connective tissue, skin, and breast
  179-189 malignant neoplasm of genitourinary organs
  190-199 malignant neoplasm of other and unspecified sites
  200-208 malignant neoplasm of lymphatic and hematopoietic tissue
  209 neuroendocrine tumors
  210-229 benign neoplasms
  230-234 carcinoma in situ
  235-238 neoplasms of uncertain behavior
  239 neoplasms of unspecified nature
endocrine, nutritional, metabolic, immunity
  240-246 disorders of thyroid gland
  249-259 diseases of other endocrine glands
  260-269 nutritional deficiencies
  270-279 other metabolic and immunity disorders
blood and blood-forming organs
  280-289 diseases of the blood and blood-forming organs
mental disorders
  290-294 organic psychotic conditions
  295-299 other psychoses
  300-316 neurotic, personality, and other nonpsychotic mental disorders
  317-319 intellectual disabilities
nervous system and sense organs
  320-326 inflammatory diseases of the central nervous system
  327 organic sleep disorders
  330-337 hereditary and degenerative diseases of the central nervous system
  338 pain
  339 other headache syndromes
  340-349 other disorders of the central nervous system
  350-359 disorders of the peripheral nervous system
  360-379 disorders of the eye and adnexa
  380-389 diseases of the ear and mastoid process
circulatory system
  390-392 acute rheumatic fever
  393-398 chronic rheumatic heart disease
  401-405 hypertensive disease
  410-414 ischemic heart disease
  415-417 diseases of pulmonary circulation
  420-429 other forms of heart disease
  430-438 cerebrovascular disease
  440-449 diseases of arteries, arterioles, and capillaries
  451-459 diseases of veins and lymphatics, and other circulatory diseases
respiratory system
  460-466 acute respiratory infections
  470-478 other diseases of the upper respiratory tract
  480-488 pneumonia and influenza
  490-496 chronic obstructive pulmonary disease and allied conditions
  500-508 pneumoconioses and other lung diseases due to external agents
  510-519 other diseases of respiratory system
digestive system
  520-529 diseases of oral cavity, salivary glands, and jaws
  530-539 diseases of esophagus, stomach, and duodenum
  540-543 appendicitis
  550-553 hernia of abdominal cavity
  555-558 noninfectious enteritis and colitis
  560,562,564-569 other diseases of intestines and peritoneum
  570-579 other diseases of digestive system
genitourinary system
  580-589 nephritis, nephrotic syndrome, and nephrosis
  590-599 other diseases of urinary system
  600-608 diseases of male genital organs
  610-612 disorders of breast
  614-616 inflammatory disease of female pelvic organs
  617-629 other disorders of female genital tract
pregnancy, childbirth, puerperium
  630-633 ectopic and molar pregnancy
  634-639 other pregnancy with abortive outcome
  640-649 complications mainly related to pregnancy
  650-659 normal delivery, and other indications for care in pregnancy
  660-669 complications occurring mainly in the course of labor and delivery
  670-677 complications of the puerperium
  678-679 other maternal and fetal complications
skin and subcutaneous tissue
  680-686 infections of skin and subcutaneous tissue
  690-698 other inflammatory conditions of skin and subcutaneous tissue
  700-709 other diseases of skin and subcutaneous tissue
musculoskeletal system, connective tissue
  710-719 arthropathies and related disorders
  720-724 dorsopathies
  725-729 rheumatism, excluding the back
  730-739 osteopathies, chondropathies, and acquired musculoskeletal deformities
congenital anomalies
  740-759 congenital anomalies
perinatal period
  760-763 maternal causes of perinatal morbidity and mortality
  764-779 other conditions originating in the perinatal period
symptoms, signs, ill-defined conditions
  780-789 symptoms
  790-796 nonspecific abnormal findings
  797-799 ill-defined and unknown causes of morbidity and mortality
injury and poisoning
  800-804 fracture of skull
  805-809 fracture of neck and trunk
  810-819 fracture of upper limb
  820-829 fracture of lower limb
  830-839 dislocation
  840-848 sprains and strains of joints and adjacent muscles
  850-854 intracranial injury, excluding those with skull fracture
  860-869 internal injury of thorax, abdomen, and pelvis
  870-879 open wound of head, neck, and trunk
  880-887 open wound of upper limb
  890-897 open wound of lower limb
  900-904 injury to blood vessels
  905-909 late effects of injuries, poisonings, and other external causes
  910-919 superficial injury
  920-924 contusion with intact skin surface
  925-929 crushing injury
  930-939 effects of foreign body entering through orifice
  940-949 burns
  950-957 injury to nerves and spinal cord
  958-959 traumatic complications and unspecified injuries
  960-979 poisoning by drugs, medicinal and biological substances
  980-989 toxic effects of substances chiefly nonmedicinal as to source
  990-995 other and unspecified effects of external causes
  996-999 complications of surgical and medical care
health status and contact with health services
  V01-V06 health hazards related to communicable diseases
  V07-V09 need for isolation, other potential health hazards, and prophylactic measures
  V10-V19 health hazards related to personal and family history
  V20-V29 circumstances related to reproduction and development
  V30-V37,V39 liveborn infants according to type of birth
  V40-V49 conditions influencing health status
  V50-V59 for specific procedures and aftercare
  V60-V69 other circumstances
  V70-V82 examination and investigation without reported diagnosis
  V83-V84 genetics
  V85 body mass index
  V86 estrogen receptor status
  V87 personal exposures and history presenting hazards to health
  V88 acquired absence of other organs and tissue
  V89 other suspected conditions not found
  V90 retained foreign body
  V91 multiple gestation placenta status
external causes of injury and poisoning
  E000 external cause status
  E001-E019,E029-E030 activity
  E800-E807 railway accidents
  E810-E819 motor vehicle traffic accidents
  E820-E825 motor vehicle nontraffic accidents
  E826-E829 other road vehicle accidents
  E830-E838 water transport accidents
  E840-E845 air and space transport accidents
  E846-E848 vehicle accidents not elsewhere classifiable
  E849 place of occurrence
  E850-E858 accidental poisoning by drugs, medicinal and biological substances
  E860-E869 accidental poisoning by other substances, gases, and vapors
  E870-E876 misadventures to patients during surgical and medical care
  E878-E879 abnormal reaction to, or late complication of, procedures
  E880-E888 accidental falls
  E890-E899 accidents caused by fire and flames
  E900-E909 accidents due to natural and environmental factors
  E910-E915 accidents caused by submersion, suffocation, and foreign bodies
  E916-E928 other accidents
  E929 late effects of accidental injury
  E930-E949 adverse effects of drugs in therapeutic use
  E950-E959 suicide and self-inflicted injury
  E960-E969 homicide and injury purposely inflicted by other persons
  E970-E978 legal intervention
  E979 terrorism
  E980-E989 injury undetermined whether accidentally or purposely inflicted
  E990-E999 injury resulting from operations of war
"""
