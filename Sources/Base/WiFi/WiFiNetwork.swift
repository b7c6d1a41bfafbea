// SPDX-License-Identifier: Apache-2.0

/// A wireless network that a board joins: the file `wifi` of the folder `provision`, a line for each field, such as
/// `name=Library`. Read here, written for a card, and written as iwd reads it (docs/image.md).
public struct WiFiNetwork: Hashable, Sendable {
    /// The most bytes that the file may have: 512, our own choice. The longest sensible file has fewer than 200, and a
    /// sector of a card has 512, so that it is erased in one piece.
    public static let maximumByteCount = 512
    /// How many bytes a network's name may have (IEEE 802.11, section 9.4.2.2), zero left out.
    public static let nameByteCounts = 1...32
    /// How many characters a password may have (IEEE 802.11, annex J.4). iwd holds WPA3 to the same.
    public static let passwordByteCounts = 8...63

    /// The name of the network (SSID): ``nameByteCounts`` bytes, with no blank at either end and no control character.
    public let name: String
    /// The password: ``passwordByteCounts`` characters of ASCII, with no blank at either end.
    public let password: String
    /// The country where the board is, two capital letters; one of ``countries``.
    public let country: String
    /// Whether the network does not say its name, so that the board has to call for it.
    public let isHidden: Bool
    /// Whether the board always shows this network the same address of its radio, for places. Otherwise it draws a new one
    /// for each connection, so that nobody can follow a person by it.
    public let hasFixedAddress: Bool

    /// The fields of the file, as they are written there.
    public enum Field: String, CaseIterable, Sendable {
        /// The network's name, its password, and the country: these have to be there.
        case name, password, country
        /// Whether the network is hidden, and which address the board shows.
        case hidden, address
    }

    /// The reason why a file is not taken. Nothing of the file is in it, because a password may stand in the wrong place, and reasons are logged.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// The file has more than ``WiFiNetwork/maximumByteCount`` bytes.
        case tooLong
        /// The file is not text in UTF-8.
        case encoding
        /// The line of this number, from 1, is none of the fields.
        case line(Int)
        /// The field is there twice.
        case twice(Field)
        /// The field is not there, or empty.
        case missing(Field)
        /// The name has so many bytes.
        case nameLength(Int)
        /// The name has a control character.
        case nameCharacters
        /// The password has so many characters.
        case passwordLength(Int)
        /// The password has a character that is not ASCII, or a control character.
        case passwordCharacters
        /// The country is none of ``WiFiNetwork/countries``.
        case country
        /// The field has another word than those that it can have.
        case word(Field)

        /// An English sentence for the operator: what is wrong, and what would be right.
        public var description: String {
            switch self {
            case .tooLong: "it has more than \(WiFiNetwork.maximumByteCount) bytes; write a short line for each field"
            case .encoding: "it is not text in UTF-8; save it again with that encoding"
            case .line(let number):
                "line \(number) is none of name=…, password=…, country=…, hidden=… and address=…"
            case .twice(let field): "\(field.rawValue)= is there twice; a board joins one network"
            case .missing(.name): "name= is missing: the name of the network"
            case .missing(.password): "password= is missing; networks without a password are not joined"
            case .missing(.country):
                "country= is missing: two capital letters such as DE, because each country has its own rules for radio"
            case .missing(let field): "\(field.rawValue)= has no word after it"
            case .nameLength(let count):
                "the network's name has \(count) bytes; it can have \(WiFiNetwork.nameByteCounts.upperBound) at most"
            case .nameCharacters: "the network's name has a control character"
            case .passwordLength(let count):
                "the password has \(count) characters; it has \(WiFiNetwork.passwordByteCounts.lowerBound) to \(WiFiNetwork.passwordByteCounts.upperBound)"
            case .passwordCharacters:
                "the password has a character that does not work here, such as £, € or ä; only unaccented letters, digits and signs such as ! # $ % are possible"
            case .country: "country= has to be the two capital letters of a country, such as DE, GB or US"
            case .word(.hidden): "hidden= has to be yes or no"
            case .word(.address): "address= has to be random or fixed"
            case .word(let field): "\(field.rawValue)= has a word that it cannot have"
            }
        }
    }

    /// Why the file or folder `name` at the top of a folder `provision` is not taken, if somebody seems to have meant it as the network's: its name
    /// begins with `wifi`, in small letters or capitals (ASCII), and goes on. Such as `wifi.txt`, whose end Windows hides.
    /// An English sentence that goes on after the name; `nil` for any other name.
    public static func strayProblem(ofFileNamed name: String) -> String? {
        let small = name.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
        guard small.count > 4, small.starts(with: "wifi".utf8) else { return nil }
        return
            "is not taken, and a password in it stays on the card: a network's file is called wifi, "
            + "with nothing after it; rename or delete it"
    }

    /// Makes a network of its parts; blanks around them do not count. Throws the first ``Fault`` that is found.
    public init(
        name: String, password: String, country: String, isHidden: Bool = false, hasFixedAddress: Bool = false
    ) throws(Fault) {
        func plain(_ text: String) -> String { String(Self.trimmed(text.unicodeScalars[...])) }
        let (name, password, country) = (plain(name), plain(password), plain(country))
        let bytes = name.utf8.count
        guard bytes > 0 else { throw .missing(.name) }
        guard Self.nameByteCounts.contains(bytes) else { throw .nameLength(bytes) }
        guard name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { throw .nameCharacters }
        guard !password.isEmpty else { throw .missing(.password) }
        guard password.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .passwordCharacters }
        let length = password.utf8.count
        guard Self.passwordByteCounts.contains(length) else { throw .passwordLength(length) }
        guard !country.isEmpty else { throw .missing(.country) }
        // By bytes first: strings are equal by what they look like, and K has a twin (U+212A, KELVIN SIGN).
        guard country.utf8.count == 2, country.utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
            Self.countries.contains(country)
        else { throw .country }
        (self.name, self.password, self.country) = (name, password, country)
        (self.isHidden, self.hasFixedAddress) = (isHidden, hasFixedAddress)
    }

    /// Reads the content of the file. Blanks around a field and its value, empty lines, the line ends of Windows and a byte order mark do no harm.
    /// Throws the first ``Fault`` that is found.
    public init(parsing bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLong }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw .encoding }
        var values: [Field: String] = [:]
        var scalars = text.unicodeScalars[...]
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        // Scalars, because a line feed after a carriage return is one Character with it.
        for (number, line) in scalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = Self.trimmed(line)
            guard !line.isEmpty else { continue }
            guard let sign = line.firstIndex(of: "="),
                let field = Field(rawValue: String(Self.trimmed(line[..<sign])))
            else { throw .line(number + 1) }
            let value = String(Self.trimmed(line[line.index(after: sign)...]))
            guard values.updateValue(value, forKey: field) == nil else { throw .twice(field) }
        }
        let isHidden = try Self.choice(.hidden, values, ["no": false, "yes": true])
        let hasFixedAddress = try Self.choice(.address, values, ["random": false, "fixed": true])
        try self.init(
            name: values[.name] ?? "", password: values[.password] ?? "", country: values[.country] ?? "",
            isHidden: isHidden ?? false, hasFixedAddress: hasFixedAddress ?? false)
    }

    private static func choice(
        _ field: Field, _ values: [Field: String], _ words: [String: Bool]
    ) throws(Fault) -> Bool? {
        guard let value = values[field] else { return nil }
        guard !value.isEmpty else { throw .missing(field) }
        guard let choice = words[value] else { throw .word(field) }
        return choice
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }

    // MARK: Written

    /// The file for a card, which ``init(parsing:)`` reads. Secret: the password is in it.
    public var text: String {
        "name=\(name)\npassword=\(password)\ncountry=\(country)\n" + (isHidden ? "hidden=yes\n" : "")
            + (hasFixedAddress ? "address=fixed\n" : "")
    }

    /// What iwd calls its file for the network (iwd.network(5)), and it finds it under no other: the network's name if that has letters and digits of
    /// ASCII, blanks, dashes and underscores alone, otherwise in hexadecimal. So no name of a network is a path.
    public var profileName: String {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
        }
        let digits = Array("0123456789abcdef")
        return (isPlain ? name : "=" + name.utf8.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()) + ".psk"
    }

    /// The content of that file. Secret: the password is in it.
    public var profile: String {
        // Blanks at the ends would need an escape, too, and are never there.
        let escaped = password.unicodeScalars.reduce(into: "") { $0 += $1 == "\\" ? "\\\\" : String($1) }
        return "[Security]\nPassphrase=\(escaped)\n\n[Settings]\nAutoConnect=true\n" + (isHidden ? "Hidden=true\n" : "")
            + (hasFixedAddress ? "" : "AlwaysRandomizeAddress=true\n")
    }

    /// iwd's own settings (iwd.config(5)) for a board that joins the network. Addresses come from systemd-networkd, and no address of the radio is the hardware's:
    /// by `network` it is made of that and the network's name, unless the network's own file says that it is drawn.
    public var settings: String {
        "[General]\nEnableNetworkConfiguration=false\nAddressRandomization=network\nCountry=\(country)\n"
    }

    /// Every country that the kernel has rules for radio of: those of wireless-regdb 2026.09.03, without its entry for the whole world.
    public static let countries = Set(
        """
        AD AE AF AI AL AM AN AR AS AT AU AW AZ BA BB BD BE BF BG BH BL BM BN BO BR BS BT BW BY BZ CA CF CH CI CL CN CO CR CU CX CY CZ DE DK DM DO DZ \
        EC EE EG ES ET FI FM FO FR GB GD GE GF GH GI GL GP GR GT GU GY HK HN HR HT HU ID IE IL IM IN IR IS IT JM JO JP KE KH KN KP KR KW KY KZ LB LC LI \
        LK LS LT LU LV MA MC MD ME MF MH MK MN MO MP MQ MR MT MU MV MW MX MY NA NG NI NL NO NP NZ OM PA PE PF PG PH PK PL PM PR PT PW PY QA RE RO RS RU \
        RW SA SE SG SI SK SM SN SR SV SX SY TC TD TG TH TN TR TT TW TZ UA UG US UY UZ VA VC VE VI VN VU WF WS YE YT ZA ZW
        """.split(separator: " ").map(String.init))
}
