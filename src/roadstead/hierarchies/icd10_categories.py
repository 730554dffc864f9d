"""The categories of ICD-10-CM, as public facts: three characters.

Chapters stand at the margin, their blocks below them: the categories that exist in the block, and
what they are about, in short. The classification is kept by the National Center for Health
Statistics; it is in the public domain. This is its fiscal year 2019 with the categories ``U07``,
``U09``, ``I5A`` and ``J4A``, which came later.
"""

from __future__ import annotations

CATEGORIES = """\
infectious and parasitic diseases
  A00-A09 intestinal infectious diseases
  A15,A17-A19 tuberculosis
  A20-A28 zoonotic bacterial diseases
  A30-A44,A46,A48-A49 other bacterial diseases
  A50-A60,A63-A64 infections with a predominantly sexual mode of transmission
  A65-A69 other spirochetal diseases
  A70-A71,A74 other diseases caused by chlamydiae
  A75,A77-A79 rickettsioses
  A80-A89 viral and prion infections of the central nervous system
  A90-A96,A98-A99 arthropod-borne viral fevers and viral hemorrhagic fevers
  B00-B09 viral infections characterized by skin and mucous membrane lesions
  B10 other human herpesviruses
  B15-B19 viral hepatitis
  B20 human immunodeficiency virus
  B25-B27,B30,B33-B34 other viral diseases
  B35-B49 mycoses
  B50-B60,B64 protozoal diseases
  B65-B83 helminthiases
  B85-B89 pediculosis, acariasis and other infestations
  B90-B92,B94 sequelae of infectious and parasitic diseases
  B95-B97 bacterial and viral infectious agents
  B99 other infectious diseases
neoplasms
  C00-C14 malignant neoplasms of lip, oral cavity and pharynx
  C15-C26 malignant neoplasms of digestive organs
  C30-C34,C37-C39 malignant neoplasms of respiratory and intrathoracic organs
  C40-C41 malignant neoplasms of bone and articular cartilage
  C43,C4A,C44 melanoma and other malignant neoplasms of skin
  C45-C49 malignant neoplasms of mesothelial and soft tissue
  C50 malignant neoplasms of breast
  C51-C58 malignant neoplasms of female genital organs
  C60-C63 malignant neoplasms of male genital organs
  C64-C68 malignant neoplasms of urinary tract
  C69-C72 malignant neoplasms of eye, brain and other parts of central nervous system
  C73-C75 malignant neoplasms of thyroid and other endocrine glands
  C76-C80 malignant neoplasms of ill-defined, secondary, unspecified sites
  C7A malignant neuroendocrine tumors
  C7B secondary neuroendocrine tumors
  C81-C86,C88,C90-C96 malignant neoplasms of lymphoid, hematopoietic and related tissue
  D00-D07,D09 in situ neoplasms
  D10-D36 benign neoplasms, except benign neuroendocrine tumors
  D37-D48 neoplasms of uncertain behavior, myelodysplastic syndromes
  D3A benign neuroendocrine tumors
  D49 neoplasms of unspecified behavior
blood and immune mechanism
  D50-D53 nutritional anemias
  D55-D59 hemolytic anemias
  D60-D64 aplastic and other anemias and other bone marrow failure syndromes
  D65-D69 coagulation defects, purpura and other hemorrhagic conditions
  D70-D77 other disorders of blood and blood-forming organs
  D78 complications of procedures: spleen
  D80-D84,D86,D89 disorders involving the immune mechanism
endocrine, nutritional, metabolic
  E00-E07 disorders of thyroid gland
  E08-E11,E13 diabetes mellitus
  E15-E16 other disorders of glucose regulation and pancreatic internal secretion
  E20-E32,E34-E35 disorders of other endocrine glands
  E36 intraoperative complications of endocrine system
  E40-E46 malnutrition
  E50-E56,E58-E61,E63-E64 other nutritional deficiencies
  E65-E68 overweight, obesity and other hyperalimentation
  E70-E80,E83-E88 metabolic disorders
  E89 postprocedural endocrine and metabolic complications and disorders
mental, behavioral, neurodevelopmental
  F01-F07,F09 mental disorders due to known physiological conditions
  F10-F19 mental and behavioral disorders due to psychoactive substance use
  F20-F25,F28-F29 schizophrenia and other non-mood psychotic disorders
  F30-F34,F39 mood disorders
  F40-F45,F48 anxiety, dissociative, stress-related, somatoform disorders
  F50-F55,F59 behavioral syndromes with physiological disturbances
  F60,F63-F66,F68-F69 disorders of adult personality and behavior
  F70-F73,F78-F79 intellectual disabilities
  F80-F82,F84,F88-F89 pervasive and specific developmental disorders
  F90-F91,F93-F95,F98 behavioral and emotional disorders with onset in childhood
  F99 unspecified mental disorder
nervous system
  G00-G09 inflammatory diseases of the central nervous system
  G10-G14 systemic atrophies primarily affecting the central nervous system
  G20-G21,G23-G26 extrapyramidal and movement disorders
  G30-G32 other degenerative diseases of the nervous system
  G35-G37 demyelinating diseases of the central nervous system
  G40,G43-G47 episodic and paroxysmal disorders
  G50-G59 nerve, nerve root and plexus disorders
  G60-G65 polyneuropathies and other disorders of the peripheral nervous system
  G70-G73 diseases of myoneural junction and muscle
  G80-G83 cerebral palsy and other paralytic syndromes
  G89-G99 other disorders of the nervous system
eye and adnexa
  H00-H02,H04-H05 disorders of eyelid, lacrimal system and orbit
  H10-H11 disorders of conjunctiva
  H15-H18,H20-H22 disorders of sclera, cornea, iris and ciliary body
  H25-H28 disorders of lens
  H30-H36 disorders of choroid and retina
  H40,H42 glaucoma
  H43-H44 disorders of vitreous body and globe
  H46-H47 disorders of optic nerve and visual pathways
  H49-H52 disorders of ocular muscles, accommodation and refraction
  H53-H54 visual disturbances and blindness
  H55,H57 other disorders of eye and adnexa
  H59 complications of procedures: eye and adnexa
ear and mastoid process
  H60-H62 diseases of external ear
  H65-H75 diseases of middle ear and mastoid
  H80-H83 diseases of inner ear
  H90-H94 other disorders of ear
  H95 complications of procedures: ear and mastoid process
circulatory system
  I00-I02 acute rheumatic fever
  I05-I09 chronic rheumatic heart diseases
  I10-I13,I15-I16 hypertensive diseases
  I20-I25 ischemic heart diseases
  I26-I28 pulmonary heart disease and diseases of pulmonary circulation
  I30-I52,I5A other forms of heart disease
  I60-I63,I65-I69 cerebrovascular diseases
  I70-I79 diseases of arteries, arterioles and capillaries
  I80-I83,I85-I89 diseases of veins, lymphatic vessels and lymph nodes
  I95-I97,I99 other and unspecified disorders of the circulatory system
respiratory system
  J00-J06 acute upper respiratory infections
  J09-J18 influenza and pneumonia
  J20-J22 other acute lower respiratory infections
  J30-J39 other diseases of upper respiratory tract
  J40-J45,J47,J4A chronic lower respiratory diseases
  J60-J70 lung diseases due to external agents
  J80-J82,J84 other respiratory diseases principally affecting the interstitium
  J85-J86 suppurative and necrotic conditions of the lower respiratory tract
  J90-J94 other diseases of the pleura
  J95 complications of procedures: respiratory system
  J96,J98-J99 other diseases of the respiratory system
digestive system
  K00-K06,K08-K09,K11-K14 diseases of oral cavity and salivary glands
  K20-K23,K25-K31 diseases of esophagus, stomach and duodenum
  K35-K38 diseases of appendix
  K40-K46 hernia
  K50-K52 noninfective enteritis and colitis
  K55-K64 other diseases of intestines
  K65-K68 diseases of peritoneum and retroperitoneum
  K70-K77 diseases of liver
  K80-K83,K85-K87 disorders of gallbladder, biliary tract and pancreas
  K90-K92,K94-K95 other diseases of the digestive system
skin and subcutaneous tissue
  L00-L05,L08 infections of the skin and subcutaneous tissue
  L10-L14 bullous disorders
  L20-L30 dermatitis and eczema
  L40-L45 papulosquamous disorders
  L49-L54 urticaria and erythema
  L55-L59 radiation-related disorders of the skin and subcutaneous tissue
  L60,L62-L68,L70-L75 disorders of skin appendages
  L76 complications of procedures: skin and subcutaneous tissue
  L80-L95,L97-L99 other disorders of the skin and subcutaneous tissue
musculoskeletal system, connective tissue
  M00-M02 infectious arthropathies
  M04 autoinflammatory syndromes
  M05-M08,M1A,M10-M14 inflammatory polyarthropathies
  M15-M19 osteoarthritis
  M20-M25 other joint disorders
  M26-M27 dentofacial anomalies and other disorders of jaw
  M30-M36 systemic connective tissue disorders
  M40-M43 deforming dorsopathies
  M45-M49 spondylopathies
  M50-M51,M53-M54 other dorsopathies
  M60-M63 disorders of muscles
  M65-M67 disorders of synovium and tendon
  M70-M72,M75-M77,M79 other soft tissue disorders
  M80-M81,M83-M85 disorders of bone density and structure
  M86-M90 other osteopathies
  M91-M94 chondropathies
  M95 other disorders of the musculoskeletal system and connective tissue
  M96 complications of procedures: musculoskeletal system
  M97 periprosthetic fracture around internal prosthetic joint
  M99 biomechanical lesions
genitourinary system
  N00-N08 glomerular diseases
  N10-N16 renal tubulo-interstitial diseases
  N17-N19 acute kidney failure and chronic kidney disease
  N20-N23 urolithiasis
  N25-N29 other disorders of kidney and ureter
  N30-N37,N39 other diseases of the urinary system
  N40-N53 diseases of male genital organs
  N60-N65 disorders of breast
  N70-N77 inflammatory diseases of female pelvic organs
  N80-N98 noninflammatory disorders of female genital tract
  N99 complications of procedures: genitourinary system
pregnancy, childbirth, puerperium
  O00-O04,O07-O08 pregnancy with abortive outcome
  O09 supervision of high risk pregnancy
  O10-O16 edema, proteinuria and hypertension in pregnancy and childbirth
  O20-O26,O28-O29 other maternal disorders predominantly related to pregnancy
  O30-O36,O40-O48 care related to fetus, amniotic cavity, possible delivery problems
  O60-O77 complications of labor and delivery
  O80,O82 encounter for delivery
  O85-O92 complications predominantly related to the puerperium
  O94,O98-O99,O9A other obstetric conditions
perinatal period
  P00-P04 newborn affected by maternal factors and complications of pregnancy
  P05,P07-P08 disorders related to length of gestation and fetal growth
  P09 findings: neonatal screening
  P10-P15 birth trauma
  P19,P22-P29 respiratory and cardiovascular disorders of newborn
  P35-P39 infections specific to the perinatal period
  P50-P61 hemorrhagic and hematological disorders of newborn
  P70-P72,P74 transitory endocrine and metabolic disorders of newborn
  P76-P78 digestive system disorders of newborn
  P80-P81,P83 integument and temperature regulation of newborn
  P84 other problems with newborn
  P90-P96 other disorders originating in the perinatal period
congenital malformations, chromosomal
  Q00-Q07 congenital malformations of the nervous system
  Q10-Q18 congenital malformations of eye, ear, face and neck
  Q20-Q28 congenital malformations of the circulatory system
  Q30-Q34 congenital malformations of the respiratory system
  Q35-Q37 cleft lip and cleft palate
  Q38-Q45 other congenital malformations of the digestive system
  Q50-Q56 congenital malformations of genital organs
  Q60-Q64 congenital malformations of the urinary system
  Q65-Q79 congenital malformations and deformations of the musculoskeletal system
  Q80-Q87,Q89 other congenital malformations
  Q90-Q93,Q95-Q99 chromosomal abnormalities
symptoms, signs, abnormal findings
  R00-R01,R03-R07,R09 symptoms and signs: circulatory and respiratory systems
  R10-R19 symptoms and signs: digestive system and abdomen
  R20-R23 symptoms and signs: skin and subcutaneous tissue
  R25-R27,R29 symptoms and signs: nervous and musculoskeletal systems
  R30-R37,R39 symptoms and signs: genitourinary system
  R40-R46 symptoms and signs: cognition, perception, emotional state and behavior
  R47-R49 symptoms and signs: speech and voice
  R50-R65,R68-R69 general symptoms and signs
  R70-R71,R73-R79 findings: examination of blood
  R80-R82 findings: examination of urine
  R83-R89 findings: examination of other body fluids, substances and tissues
  R90-R94 findings: diagnostic imaging and in function studies
  R97 abnormal tumor markers
  R99 ill-defined and unknown cause of mortality
injury, poisoning, external causes
  S00-S09 injuries to the head
  S10-S17,S19 injuries to the neck
  S20-S29 injuries to the thorax
  S30-S39 injuries to abdomen, lower back, pelvis and external genitals
  S40-S49 injuries to the shoulder and upper arm
  S50-S59 injuries to the elbow and forearm
  S60-S69 injuries to the wrist, hand and fingers
  S70-S79 injuries to the hip and thigh
  S80-S89 injuries to the knee and lower leg
  S90-S99 injuries to the ankle and foot
  T07 injuries involving multiple body regions
  T14 injury of unspecified body region
  T15-T19 effects of foreign body entering through natural orifice
  T20-T25 burns and corrosions of external body surface, specified by site
  T26-T28 burns and corrosions confined to eye and internal organs
  T30-T32 burns and corrosions of multiple and unspecified body regions
  T33-T34 frostbite
  T36-T50 poisoning by, adverse effects and underdosing of drugs
  T51-T65 toxic effects of substances chiefly nonmedicinal as to source
  T66-T71,T73-T76,T78 other and unspecified effects of external causes
  T79 early complications of trauma
  T80-T88 complications of surgical and medical care
external causes of morbidity
  V00-V06,V09 pedestrian, transport accident
  V10-V19 health hazards related to personal and family history
  V20-V29 motorcycle rider, transport accident
  V30-V39 occupant of three-wheeled motor vehicle, transport accident
  V40-V49 conditions influencing health status
  V50-V59 occupant of pick-up truck or van, transport accident
  V60-V69 occupant of heavy transport vehicle, transport accident
  V70-V79 bus occupant, transport accident
  V80-V89 other land transport accidents
  V90-V94 water transport accidents
  V95-V97 air and space transport accidents
  V98-V99 other and unspecified transport accidents
  W00-W01,W03-W19 slipping, tripping, stumbling and falls
  W20-W40,W42,W45-W46,W49 inanimate mechanical forces
  W50-W62,W64 animate mechanical forces
  W65,W67,W69,W73-W74 accidental non-transport drowning and submersion
  W85-W86,W88-W90,W92-W94,W99 electric current, radiation, extreme temperature and pressure
  X00-X06,X08 exposure to smoke, fire and flames
  X10-X19 contact with heat and hot substances
  X30-X32,X34-X39 exposure to forces of nature
  X50 overexertion and strenuous or repetitive movements
  X52,X58 accidental exposure to other specified factors
  X71-X83 intentional self-harm
  X92-X99,Y00-Y04,Y07-Y09 assault
  Y21-Y33 event of undetermined intent
  Y35-Y38 legal intervention, operations of war, terrorism
  Y62-Y66,Y69 misadventures to patients during surgical and medical care
  Y70-Y82 medical devices associated with adverse incidents
  Y83-Y84 abnormal reaction to, or later complication of, procedures
  Y90,Y92-Y93,Y95,Y99 supplementary factors related to causes of morbidity
health status and contact with health services
  Z00-Z05,Z08-Z09,Z11-Z13 for examinations
  Z14-Z15 genetic carrier and genetic susceptibility to disease
  Z16 resistance to antimicrobial drugs
  Z17 estrogen receptor status
  Z18 retained foreign body fragments
  Z19 hormone sensitivity malignancy status
  Z20-Z23,Z28-Z29 health hazards related to communicable diseases
  Z30-Z34,Z36-Z39,Z3A circumstances related to reproduction
  Z40-Z49,Z51-Z53 encounters for other specific health care
  Z55-Z57,Z59-Z60,Z62-Z65 socioeconomic and psychosocial circumstances
  Z66 do not resuscitate status
  Z67 blood type
  Z68 body mass index
  Z69-Z76 other circumstances
  Z77-Z99 family and personal history, conditions influencing health status
special purposes
  U07,U09 provisional assignment of new diseases
"""
