"""Why people are in hospital: groups of principal diagnoses, and who has them.

Each group has the number of stays a year, the ages of its patients, how often women have it for
each man of the same age, the mean length of stay, and how many die. `joint.py` makes the joint
distribution of diagnosis, sex and age from them.

The sources stand beside the figures. **What a comment does not name is an assumption** of this
module, rounded, in line with the other groups and with the national totals that the tests check.
Newborns are left out, as in the National Hospital Discharge Survey. The groups are the frequent
ones, some two thirds of all other stays, so births are a larger share here than in a real hospital.
How a group divides over its ICD-10-CM codes is ours too: the first code is the most frequent.

Sources
-------
FF09
    AHRQ, HCUP Facts and Figures 2009, exhibits 2.2, 2.4 (diagnoses by age), 5.3 (mood disorders).
FB6
    AHRQ, HCUP Fact Book 6, Hospitalization in the United States 2002, table 4 (diagnoses by age).
HIS96
    AHRQ, HCUP, Statistics from the Nationwide Inpatient Sample 1996, table 1 (stays, LOS, deaths,
    percent male and mean age by diagnosis).
SB277, FS17, FS14
    AHRQ, HCUP Statistical Brief 277 (2018); HCUP Fast Stats 2017 and 2014, most common diagnoses.
SB19
    AHRQ, HCUP Statistical Brief 19, common injuries that result in hospitalization, 2004.
QDR09
    AHRQ, National Healthcare Quality and Disparities Reports 2009, deaths per 1,000 admissions.
DB62, DB95, DB108, DB118, DB186, DB211, QS
    CDC/NCHS Data Briefs 62 (sepsis), 95 (stroke), 108 (heart failure), 118 (inpatient deaths), 186
    and 211 (hip and knee replacement), and QuickStats in MMWR 2005 54(27), 2010 59(34) and 2012
    61(40): all from the National Hospital Discharge Survey (NHDS).
SA00
    U.S. Census Bureau, Statistical Abstract 2000, table 200 (NHDS 1998, men, LOS by diagnosis).
WHUSA
    HRSA, Women's Health USA 2005 (NHDS 2002, discharges per 10,000 by sex and diagnosis).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Season = Literal["even", "winter", "summer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A group of principal diagnoses and the figures that describe its patients.

    Parameters
    ----------
    name
        What it is called.
    codes
        ICD-10-CM codes, the most frequent first.
    codes_of_men
        The codes of men where they differ.
    stays
        Thousands a year in the United States.
    ages
        "first age:share" for each band of ages; a band ends where the next begins, the last with
        the oldest age, and a share of 0 closes the bands earlier. Shares need not sum to 100.
    women
        How many women have it for each man, were there as many of either at every age.
    only_women
        Men do not have it at all.
    days
        Mean length of stay.
    died
        Percent who die in the hospital.
    facility
        Percent of all stays that end with a transfer to another hospital or a nursing facility.
    season
        When it is more frequent.
    spread
        Standard deviation of the logarithm of the length of stay.
    """

    name: str
    codes: str
    stays: float
    ages: str
    days: float
    died: float
    facility: float
    women: float = 1.0
    only_women: bool = False
    season: Season = "even"
    spread: float = (
        0.8  # a median of 3 days with quartiles 2 and 6, as AMI had: Medicina 2022 58:1846
    )
    codes_of_men: str = ""


DIAGNOSES: Final = (
    # Births of 2010 and their ages: NCHS, National Vital Statistics Reports 61(1): 34.2, 90.0,
    # 108.3, 96.5, 45.9 and 10.2 births per 1,000 women of 15-19 to 40-44. LOS: QS (2003).
    Diagnosis(name="childbirth", codes="O80 O70.1 O34.211 O48.0 O42.02", stays=3999,
              ages="15:367 20:951 25:1133 30:962 35:465 40:107 45:0", only_women=True,
              days=2.6, died=0.0, facility=0.3, spread=0.4),
    # Stays: FF09. Ages: FB6. LOS: CDC/NCHS, National Hospital Care Survey 2014. Died: NIS 2016 to
    # 2019, Int J Health Policy Manag (2.45 to 2.19 %); by age see stays.py.
    Diagnosis(name="pneumonia", codes="J18.9 J15.9 J13 J69.0", stays=1165,
              ages="0:46 1:120 18:118 45:240 65:370 80:380", women=0.85,
              days=4.2, died=2.4, facility=20, season="winter"),
    # Stays: FF09. Under 65 29 %: DB108. Women 49.0 %, mean age 72.3: Circ Cardiovasc Qual Outcomes,
    # NIS 2013. LOS, died: J Am Coll Cardiol 2013 61:1078, NIS 2009.
    Diagnosis(name="heart failure", codes="I50.9 I50.23 I50.33 I11.0", stays=1023,
              ages="18:3 45:26 65:44 85:27", women=0.72, days=5.3, died=3.3, facility=24),
    # Stays, age 45-64: FF09. Women: knee replacements DB211 (65.5 and 45.3 per 10,000). LOS: DB186.
    # Not home: DB211 (knee replacement, 2010).
    Diagnosis(name="osteoarthritis", codes="M17.11 M17.12 M16.11 M16.12 M17.0", stays=921,
              ages="18:3 45:40 65:52 85:5", women=1.45, days=3.8, died=0.1, facility=40,
              spread=0.4),
    # Stays, ages, sexes: FF09 (per 10,000 women and men: 43 and 34, 36 and 31, 24 and 17, 19 and
    # 18). LOS: QS (psychoses, 2003).
    Diagnosis(name="mood disorders", codes="F33.2 F32.9 F31.9 F33.1", stays=873,
              ages="5:86 18:436 45:266 65:72 85:10", women=1.2, days=8.0, died=0.1, facility=5),
    # Stays, age 45-64: FF09.
    Diagnosis(name="coronary atherosclerosis", codes="I25.10 I25.110 I25.119", stays=832,
              ages="30:5 45:42 65:47 85:6", women=0.5, days=3.0, died=0.8, facility=5),
    # Stays: FF09. Over 65: rates of QS 2010 (10.2, 17.8 and 29.2 per 1,000 of 65-74, 75-84 and 85
    # and over); women and men alike: DB62. LOS: HCUP Fact Book 6, appendix. Died: QS 2012.
    Diagnosis(name="sepsis", codes="A41.9 A41.51 A41.01 A40.9", stays=831,
              ages="0:1 1:2 18:11 45:32 65:20 75:20 85:14",
              days=8.5, died=16.0, facility=34),
    # Stays: FF09. LOS, died: atrial fibrillation, NHDS 1996-2010, Indian Pacing Electrophysiol J
    # 2018 18:6.
    Diagnosis(name="cardiac dysrhythmias", codes="I48.91 I48.0 I47.1 I49.5", stays=807,
              ages="18:6 45:25 65:50 85:19", women=0.8, days=3.75, died=0.96, facility=12),
    # Stays: FF09. From 40, died: NIS 1996, Arch Intern Med 2003 163:1180.
    Diagnosis(name="chronic obstructive pulmonary disease", codes="J44.1 J44.0 J44.9", stays=733,
              ages="40:35 65:55 85:10", women=1.05, days=5.0, died=2.5, facility=18,
              season="winter"),
    # Stays: FS14. Died: QDR09. LOS: mean of the distribution that `spread` comes from.
    Diagnosis(name="acute myocardial infarction", codes="I21.4 I21.3 I21.19 I21.09", stays=609,
              ages="30:5 45:36 65:42 85:17", women=0.55, days=4.1, died=7.3, facility=22),
    # Stays, LOS, died, over two thirds of 65 and over: DB95 (31.8 per 10,000 in 2009).
    Diagnosis(name="stroke", codes="I63.9 I63.50 I63.40 I61.9 I60.9", stays=973,
              ages="18:4 45:28 65:47 85:21", women=0.85, days=5.3, died=5.0, facility=40),
    # Stays: SB277. LOS: PLoS One 2015 10:e0143276 (2011). Under 18: FB6 (32). Season: see stays.py.
    Diagnosis(name="skin infections", codes="L03.115 L03.116 L03.90 L02.91", stays=530,
              ages="1:6 18:29 45:35 65:23 85:7", women=0.85, days=5.0, died=0.4, facility=10,
              season="summer"),
    # All: NIS 2017, Diabetes Care 2020 43:e196 (mean age 38.4; 53.3 % of 18-44; 71.2 and 54.1 per
    # 10,000 admissions of men and of women, who are admitted more often).
    Diagnosis(name="diabetic ketoacidosis", codes="E10.10 E11.10", stays=220,
              ages="1:11 18:53 45:28 65:7.5 85:0.5", days=3.22, died=0.38, facility=4),
    # Stays: FS17 (658 thousand with any complication) less the ketoacidosis above.
    Diagnosis(name="diabetes with other complications", codes="E11.65 E11.621 E11.649 E11.22",
              stays=438, ages="18:17 45:45 65:33 85:5", women=0.75, days=5.0, died=0.8,
              facility=14),
    # Stays: FF09 (12.4 per 10,000). Died: J Am Soc Nephrol, ARIC, first-listed.
    Diagnosis(name="acute kidney failure", codes="N17.9 N17.0", stays=381,
              ages="18:7 45:26 65:47 85:20", women=0.8, days=6.0, died=4.5, facility=27),
    # Stays: HCUP Facts and Figures 2006. Ages: FB6.
    Diagnosis(name="chest pain", codes="R07.9 R07.89", stays=857,
              ages="18:171 45:402 65:219 80:65", days=1.9, died=0.1, facility=2),
    # Stays: HCUP Facts and Figures 2006. Ages: FB6. LOS: SA00 (15-44).
    Diagnosis(name="back disorders", codes="M51.26 M48.061 M54.5 M50.20", stays=636,
              ages="18:192 45:248 65:176 85:20", days=2.2, died=0.1, facility=10),
    # Stays: NHDS 2007, Natl Health Stat Rep 32, which also has women above men. Under 18: FF09.
    Diagnosis(name="asthma", codes="J45.901 J45.909 J45.41", stays=456,
              ages="1:126 18:110 45:130 65:75 85:15", women=1.3, days=3.4, died=0.2, facility=4,
              season="winter"),
    # Under 1: FF09; older: FB6.
    Diagnosis(name="acute bronchiolitis", codes="J21.0 J21.9", stays=121, ages="0:85 1:30 2:6 3:0",
              women=0.7, days=3.0, died=0.0, facility=1, season="winter"),
    # Under 18: FF09; 18-44: FB6. LOS: NIS 1997, Surg Infect 5:160 (253 thousand stays).
    Diagnosis(name="appendicitis", codes="K35.80 K35.30 K35.20", stays=281,
              ages="4:81 18:140 45:45 65:15", women=0.8, days=4.0, died=0.3, facility=2),
    # Stays: inpatient cholecystectomies, World J Gastrointest Surg 2024 16:1130. Women: NIDDK,
    # Burden of Digestive Diseases, chapter 22 (58 % more often).
    Diagnosis(name="gallstones", codes="K80.00 K80.10 K80.20", stays=329,
              ages="12:2 18:36 45:30 65:26 85:6", women=1.58, days=4.0, died=0.6, facility=6),
    # All: HIS96 (3,002 thousand less the two groups above; mean age 55.5; 44.2 % men).
    Diagnosis(name="other digestive diseases", codes="K92.2 K52.9 K56.609 K85.90 K59.00 K50.90",
              stays=2392, ages="0:2 1:6 18:21 45:27 65:34 85:10", women=1.08,
              days=5.1, died=2.2, facility=11),
    # All: HIS96 (mean age 48.7; 46.0 % men).
    Diagnosis(name="nervous system diseases", codes="G40.909 G43.909 G93.40 G91.9 G03.9",
              stays=682, ages="0:4 1:13 18:24 45:25 65:27 85:7", women=1.05,
              days=5.0, died=1.4, facility=18),
    # Stays, women: WHUSA (85.8 per 10,000 women, 39.8 men) less acute kidney failure.
    Diagnosis(name="genitourinary diseases", codes="N39.0 N10 N20.1 N13.2 N04.9", stays=1440,
              ages="0:2 1:5 18:26 45:24 65:31 85:12", women=2.1, days=4.0, died=0.9, facility=15),
    # Stays: QS (2003). Died: DB118 (2010). LOS: SA00 (7.0, men of 45-64).
    Diagnosis(name="cancer", codes="C34.90 C18.9 C50.919 C79.51 C25.9", stays=1300,
              codes_of_men="C34.90 C18.9 C61 C79.51 C25.9",
              ages="30:11 45:39 65:45 85:5", days=7.0, died=4.4, facility=13),
    # Stays, women (208 of 281 thousand), from 45: Osteoporos Int 2007 18:585, NIS 2003. LOS: The
    # Burden of Musculoskeletal Diseases 2014. Died: SB19.
    Diagnosis(name="hip fracture", codes="S72.001A S72.141A S72.142A S72.002A", stays=281,
              ages="45:8 65:50 85:42", women=1.9, days=5.5, died=2.9, facility=80, spread=0.5),
    # Stays: SB19 (15.0 % of 1.9 million injuries). LOS: SA00 (fractures).
    Diagnosis(name="leg fracture", codes="S82.841A S82.201A S72.301A", stays=285,
              ages="1:12 18:33 45:28 65:20 85:7", women=0.9, days=5.1, died=0.4, facility=22),
    # Stays, died: SB19 (9.8 % of the injuries).
    Diagnosis(name="intracranial injury", codes="S06.5X0A S06.6X0A S06.0X0A", stays=186,
              ages="0:2 1:12 18:32 45:20 65:24 85:10", women=0.6, days=5.8, died=10.2, facility=20),
    # Stays: SB19 (7.8 % of the injuries).
    Diagnosis(name="poisoning by medicines", codes="T39.1X2A T40.2X1A T42.4X2A", stays=148,
              ages="1:14 18:50 45:28 65:7 85:1", women=1.2, days=2.6, died=1.0, facility=12),
    # Stays: FS14.
    Diagnosis(name="complication of device or graft", codes="T84.54XA T82.7XXA T85.79XA T84.033A",
              stays=633, ages="18:22 45:36 65:36 85:6", women=0.95,
              days=6.0, died=1.5, facility=20),
)  # fmt: skip
