"""Facts about the map, counted and read from the rules independently of the file."""

from typing import Final

NAMED: Final = """
1005 Maldive PA|1307 Colombo PAC|1308 Trincomalee PAC|1406 Madras PAC|1805 Calcutta PAC|1905 Dacca PAC
2005 Dimasur C|2104 Jarhat AC|2105 Imphal C|2105 Kohima C|2205 Ledo AC|2006 Akyab AC|2008 Rangoon PACR
2106 Mandalay AC|2206 Lashio AC|2305 Myitkyina AC|2407 Kunming i|2108 - G|2109 - G|2110 Bangkok PAC|2210 Udorn C
2211 PhnomPenh AC|2212 Saigon PAC|2311 CamRanh PAC|2409 Hanoi PAC|2410 Hue C|2111 - A|2508 Yungning PAi
2509 Taan PC|2609 Canton PAi|2708 - G|2709 HongKong PAi|2809 Swatow PAi|2908 Wenchow PAi|2909 Tainan PAC
3009 Taihoku AC|3007 Shanghai PAi|3105 Tsingtao PAi|3005 Tientsin Ai|3004 Peiping Ai|3104 PortArthur PAi
3302 Harbin ARi|3303 Mukden ARi|3305 Seoul PACR|3306 Pusan PAC|3307 Sasebo PAj|3407 Kure PAj|3506 Kyoto Aj
3507 Osaka PAj|3607 Nagoya PAj|3706 Tokyo PAj|3704 Hakodate PAj|3705 Ominato PAj|1912 Jitra AC|1913 KualaLumpur AC
2012 Singora AC|2112 KotaBharu AC|2014 Kuantan ACR|2015 Singapore PAC|1813 Medan ACR|1914 - A|1916 Palembang ACR
1917 Teloekbetoeng PAC|2017 Bangka R|2018 Batavia PAC|2019 Tjilatjap PAC|2220 Soerabaja PACR|2320 Bali A
2216 Sinkawang AC|2318 Bandjermasin AC|2415 Miri PACR|2517 Balikpapan PACR|2616 Tarakan PACR|2620 Makassar AC
2719 Kendari PAC|2917 Menado AC|2721 Koepang PAC|2919 Amboina A|3017 Morotai A|2715 Jolo PA|2812 - A|2911 - A
2912 - G|2913 - G|2813 Manila PACR|2813 Corregidor PACR|2915 Davao PAC|3014 Samar PA|3119 Sarong AC|3219 Vogelkop R
3319 Biak PA|3416 Palau PA|3520 Hollandia PAC|3620 Aitape AC|3720 Wewak PAC|3721 Madang AC|3822 Lae PAC
3823 PortMoresby PAC|3922 Buna AC|4024 GiliGili PAC|3921 Gasmata AC|4021 Rabaul PAC|4020 Kavieng PAC
4222 Buin PAC|4222 Bougainville PAC|4121 Green A|4122 Woodlark A|4221 Baka A|4322 NewGeorgia A|4423 Guadalcanal PA
3820 Admiralty PA|3023 Darwin PAC|2825 Wyndham PAC|2525 Derby PAC|2426 Broome PAC|3226 - A|3624 CapeYork A
3626 Cairns PAC|3727 Townsville PAC|4825 Espiritu PA|4826 Efate PA|4926 Tana A|4828 Noumea PAC|5325 Viti PA
5823 Samoa PA|5724 Tongatabu A|5423 Horn A|5221 Nanumea A|5321 Funafuti PA|5717 Canton A|5719 Gardner A
5018 Tarawa A|4719 Nauru A|5814 Palmyra A|5511 Johnston A|5108 Midway A|4612 Wake A|5808 Oahu PAC|5708 Kauai A
5908 Hawaii AC|5100 DutchHarbor PAC|4600 Attu G|4600 Kiska G|4700 Amchitka G|4800 Adak G|5000 Umnak G
3615 Ulithi PA|3515 Yap A|3813 Saipan PA|3813 Tinian PA|3814 Guam A|3709 IwoJima A|4110 Marcus A|3209 Okinawa PA
4017 Truk PA|4316 Ponape A|4517 Kusaie A|4415 Eniwetok PA|4715 Kwajalein PA|4716 Namu A|4815 Wotje A
4816 Maloelap A|4817 Jaluit A|4916 Mili A|5408 AirFerry S|5410 - S|5609 - S
3812 Asuncion G|3708 Bonin G|3308 Shima G|3309 Rasa G|2910 Batan G|2814 Panay G|2914 Negros G|2117 Billiton G
1709 LittleAndaman G|1809 Andaman G|1710 Nicobar G|4819 Ocean G|4713 Taongi G|4615 Rongelap G|4616 Ujae G
4117 Nomoi G|4016 Hall G|3916 Pulap G|3816 Faraulep G|3817 Ifalik G|3716 Woleai G|5019 Nonouti G|5119 Onotoa G
5417 Howland G|5418 Baker G|5819 Phoenix G|5720 Atafu G|5821 Fakaofo G|5525 Lau G|5425 Vanua G|4925 Pentacost G
4827 Mare G|4824 Vanikoro G|4723 Ndeni G|4523 SanCristobal G|4522 Malaita G|4424 Rennell G|4422 SantaIsabel G
4124 Rossel G|4023 Entrecasteaux G|3719 Ninigo G|3221 Aroe G|3121 Tanimbar G|3021 Babar G|2921 Moa G|2821 Wetar G
2622 Roti G|2621 Flores G|2521 Soemba G|2421 Soembawa G|2819 Soela G|2918 Batjan G|3018 Halmahera G|3019 Obi G
3020 Ceram G|3118 Waigeo G
"""
"""Hex, accepted name (- = none printed) and symbols: P port, A airfield, C city, R resource, G land, S open sea,
j Japanese city, i city with intrinsic defence."""

RESOURCES: Final = "1813 1916 2017 2008 2014 2220 2415 2517 2616 2813 3219 3302 3303 3305"

SETUP: Final = (
    "1005N 1307N 1805AH 1813G 1905AG 1913G 1916AG 2006G 2008AG 2014G 2015AGHN 2019AGN 2104A 2105G 2106G 2108G "
    "2109G 2110G 2112G 2205G 2206G 2211G 2212AGH 2220AG 2311GN 2407G 2409A 2415G 2509G 2517G 2616GN 2620A 2708G "
    "2709G 2719G 2721G 2812AG 2813AGH 2909AGN 2911G 2912G 2913G 2915AGN 2917AG 2919G 3004A 3007G 3009A 3014GN "
    "3023G 3119A 3209G 3305G 3407AHN 3416AGHN 3520G 3607A 3615N 3626AG 3704AG 3705N 3706AGN 3720AG 3721G 3727AGHN "
    "3813AGH 3814G 3822AG 3823AGH 3921G 3922AG 4017AGHN 4021AGN 4024G 4222AG 4322AG 4415A 4423AG 4600G 4612AG "
    "4715AGN 4825AG 4826AGN 4828GHN 5018AG 5100A 5108A 5410S 5609S 5808AGHN"
)
"""Starting places in five set-ups: A air, N naval, H headquarters, G ground, S at sea."""

RULE_SIDES: Final = (
    ("2119", "2220", "land unplayable"),
    ("2120", "2220", "unplayable"),
    ("2221", "2220", "unplayable"),
    ("2219", "2220", "water both"),
    ("2319", "2220", "water both"),
    ("2320", "2220", "water both"),
    ("2508", "2408", "land both"),
    ("2508", "2507", "land both"),
    ("2708", "2709", "land both"),
    ("2913", "2912", "land both"),
    ("1913", "2014", "land both"),
)
"""Sides stated in worked examples: from, to, allowed values."""

RULE_TERRAIN: Final = {
    "3823": "mountain",
    "2913": "mixed",
    "2014": "mixed",
    "2709": "mixed",
    "2812": "open",
    "2007": "jungle",
    "2107": "jungle",
    "2207": "jungle",
}

RULE_DISTANCES: Final = (
    ("4612", "5108", 6),
    ("3014", "2220", 10),
    ("2112", "2015", 3),
    ("3705", "5506", 18),
    ("5506", "5808", 3),
    ("4715", "4612", 4),
    ("2212", "2112", 1),
)

ROUTE_PATHS: Final = (
    "1406 1505 1606 1705 1805 1905 2005 2104",
    "2104 2205 2305 2206",
    "2104 2105 2106",
    "2008 2007 2106 2206 2306 2407",
    "2008 2107 2106",
    "2008 2108 2109 2010 2110",
    "2110 2011 2012 1912 1913 2014 2015",
    "2110 2211 2212 2311",
    "3823 3922",
    "3305 3306",
    "3626 3627 3727",
)
"""Transport routes that the rules mention."""

RULE_LISTS: Final = (
    ("philippines", "bases", "2715 2812 2813 2911 2915 3014"),
    ("malaya", "bases", "1912 1913 2012 2014 2015 2112"),
    (
        "dutch-east-indies",
        "bases resources",
        "1813 1914 1916 1917 2017 2018 2019 2220 2216 2318 2415 2517 2616 2620 2719 2917 2320 2919 2721 3017",
    ),
    ("dutch-east-indies", "control_hexes", "1813 1916 2017 2220 2415 2517 2616 2019"),
    ("burma", "bases", "2006 2008 2106 2206 2305"),
    ("burma", "control_hexes", "2008 2106 2206 2305"),
    ("northern-india", "hexes", "2104 2005 2205 1905 2105"),
    ("philippines", "control_hexes", "2813 2915"),
    ("malaya", "control_hexes", "2014 2015"),
    ("mandates", "control_hexes", "4021 4423"),
    ("mandates", "named", "3820 4020 4021 4222 4423"),
    ("marshall-islands", "control_hexes", "4415 4715"),
    (
        "resource-hexes",
        "hexes",
        "1813 1916 2017 2008 2014 2220 2415 2517 2616 2813 3219 3302 3303 3305",
    ),
    ("cw-naval-bases", "hexes", "1307 1308 2015 2709 3727"),
    ("no-transport-route", "hexes", "2104 2105 2205"),
    ("burma-road", "hexes", "2206 2306 2407"),
    ("kwai-route", "hexes", "2108 2109"),
    ("hump-airfields", "hexes", "1905 2104"),
    ("hawaii", "hexes", "5708 5808 5908"),
    ("korea-ports", "hexes", "3305 3306"),
)
"""Lists that are printed in the rules: area, combined lists, hexes."""
