// SPDX-License-Identifier: Apache-2.0

/// The words by which characters are read out on the telephone.
public enum Spelling {
    /// Returns the text in four groups of 3, 3, 3 and 4 characters, as people read out the 13 characters of a teleTAN. For
    /// a shorter text the last groups are shorter or empty; characters beyond the thirteenth are dropped.
    public static func groups(_ text: String) -> [String] {
        var rest = Substring(text)
        return [3, 3, 3, 4].map { length in
            defer { rest = rest.dropFirst(length) }
            return String(rest.prefix(length))
        }
    }

    /// Returns the word in this language for each character of the text, in order. The capital letters of
    /// ``TeleTANIssuing/alphabet`` have the words of ICAO in English and of DIN 5009:2022-06 in German; its digits
    /// have their usual names, but 2 is "zwo" in German, because "zwei" sounds like "drei". Any other character
    /// stands for itself. Cannot fail.
    public static func words(_ text: String, _ language: PortalLanguage) -> [String] {
        let table = language == .german ? german : english
        return text.map { table[$0] ?? String($0) }
    }

    /// ICAO's and NATO's.
    private static let english: [Character: String] = [
        "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
        "A": "Alfa", "B": "Bravo", "C": "Charlie", "D": "Delta", "E": "Echo", "F": "Foxtrot", "G": "Golf", "H": "Hotel",
        "J": "Juliett", "K": "Kilo", "M": "Mike", "N": "November", "P": "Papa", "Q": "Quebec", "R": "Romeo", "S": "Sierra",
        "T": "Tango", "U": "Uniform", "V": "Victor", "W": "Whiskey", "X": "X-ray", "Y": "Yankee", "Z": "Zulu",
    ]

    /// DIN 5009:2022-06, names of towns; "zwo" as on every telephone, because "zwei" sounds like "drei".
    private static let german: [Character: String] = [
        "2": "zwo", "3": "drei", "4": "vier", "5": "fünf", "6": "sechs", "7": "sieben", "8": "acht", "9": "neun",
        "A": "Aachen", "B": "Berlin", "C": "Chemnitz", "D": "Düsseldorf", "E": "Essen", "F": "Frankfurt", "G": "Goslar",
        "H": "Hamburg", "J": "Jena", "K": "Köln", "M": "München", "N": "Nürnberg", "P": "Potsdam", "Q": "Quickborn",
        "R": "Rostock", "S": "Salzwedel", "T": "Tübingen", "U": "Unna", "V": "Völklingen", "W": "Wuppertal", "X": "Xanten",
        "Y": "Ypsilon", "Z": "Zwickau",
    ]
}
