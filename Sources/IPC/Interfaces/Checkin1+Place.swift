// SPDX-License-Identifier: Apache-2.0

/// The part for hosts: codes at the entrance of a place.
extension Checkin1 {
    /// The kinds of place.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case other, retail, foodService, craft, workplace, education, publicBuilding
    }

    /// The kinds of event.
    public enum EventKind: String, Codable, Sendable, CaseIterable { case other, culture, club, privateEvent, worship }

    /// The state of a code. `coming`: its event has not begun; `shown`: it is displayed now; `ended`: its event is over;
    /// `revoked`: it was replaced by another code.
    public enum CodeState: String, Codable, Sendable, CaseIterable { case coming, shown, ended, revoked }

    /// A code of a place, without its text.
    public struct Code: Codable, Sendable, Equatable {
        /// The number of the code, from 1; never used again on this device, unless the stored places could not be
        /// read.
        public var number: Int
        /// The system to which the code belongs.
        public var system: System
        /// The name of the place or the event in the code; one line, safe to show.
        public var name: String
        /// Whether the code is displayed now, will be, or no longer is; see ``CodeState``. While the time is not
        /// known, every code that was not revoked counts as `shown`.
        public var state: CodeState
        /// Whether the code was made on this device; otherwise it was imported.
        public var own: Bool
        /// The start of the code's event, in Unix seconds; `nil` for a code without an event, and for an imported one, which
        /// is displayed at once.
        public var begins: Int64?
        /// The end of the code's event, possibly moved forward by `End`, in Unix seconds; for an imported code, the end of
        /// its validity. `nil` for a code without an end.
        public var ends: Int64?

        /// Creates a part of replies of the plugin. No value is checked.
        public init(
            number: Int, system: System, name: String, state: CodeState, own: Bool, begins: Int64?, ends: Int64?
        ) {
            self.number = number
            self.system = system
            self.name = name
            self.state = state
            self.own = own
            self.begins = begins
            self.ends = ends
        }
    }

    /// A place with codes at its entrance.
    public struct Place: Codable, Sendable, Equatable {
        /// The number of the place, from 1; never used again, unless the stored places could not be read.
        public var number: Int
        /// The name of the place in its codes; safe to show.
        public var name: String
        /// The street and town in one line, safe to show.
        public var street: String
        /// The kind of place.
        public var kind: Kind
        /// The minutes after which a visitor has usually left, 15 to 1,425.
        public var stayMinutes: Int
        /// The codes of the place, including those of events and revoked ones that are still kept; at most 16.
        public var codes: [Code]

        /// Creates a part of replies of the plugin. No value is checked.
        public init(number: Int, name: String, street: String, kind: Kind, stayMinutes: Int, codes: [Code]) {
            self.number = number
            self.name = name
            self.street = street
            self.kind = kind
            self.stayMinutes = stayMinutes
            self.codes = codes
        }
    }

    /// Reply of `GetPlaces`: one part of the places of the device, and the systems whose codes can be made or imported.
    public struct PlacesReply: Codable, Sendable, Equatable {
        /// The places in the order of their numbers, as many as fit a message; at most 16.
        public var places: [Place]
        /// Whether there are places after the last one here.
        public var more: Bool
        /// The systems whose codes can be made here: `coronaWarnApp` if it is followed, otherwise none.
        public var makes: [System]
        /// The systems whose codes can be imported here: those that are followed, at most 3.
        public var imports: [System]
        /// The number of the place whose codes the screen at the door shows; `nil` if none.
        public var screen: Int?
        /// The place whose code is chosen to be broadcast at the door, and its hours; `nil` if none. Whether it is on air is
        /// ``Device1/Radio/door``.
        public var broadcast: Broadcasting?

        /// Creates the reply of the plugin to `GetPlaces`. No value is checked.
        public init(
            places: [Place], more: Bool = false, makes: [System], imports: [System], screen: Int? = nil,
            broadcast: Broadcasting? = nil
        ) {
            self.places = places
            self.more = more
            self.makes = makes
            self.imports = imports
            self.screen = screen
            self.broadcast = broadcast
        }
    }

    /// Parameters of `Describe`: a new or changed place. Refused with `Refused` for values that a code cannot contain, and
    /// with `NotPossible` if there are 16 places, or too many codes at the place.
    public struct DescribeCall: Codable, Sendable, Equatable {
        /// The number of the place; `nil` for a new one. Refused with `NoSuchNumber` if there is no such place.
        public var number: Int?
        /// The name of the place: one line of 1 to 255 UTF-16 units.
        public var name: String
        /// The street and town: one line of 1 to 255 UTF-16 units.
        public var street: String
        /// The kind of place.
        public var kind: Kind
        /// The minutes after which a visitor has usually left, 15 to 1,425.
        public var stayMinutes: Int

        /// Creates the parameters of a call of `Describe`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int? = nil, name: String, street: String, kind: Kind, stayMinutes: Int) {
            self.number = number
            self.name = name
            self.street = street
            self.kind = kind
            self.stayMinutes = stayMinutes
        }
    }

    /// Reply of `Describe` and `Revoke`: the place, whose change has been stored.
    public struct PlaceReply: Codable, Sendable, Equatable {
        /// The place as it is now.
        public var place: Place

        /// Creates a part of replies of the plugin. No value is checked.
        public init(place: Place) {
            self.place = place
        }
    }

    /// Parameters of `Start`: an event at a place. Refused with `Refused` for times and names that a code cannot contain,
    /// and with `NotPossible` if no codes can be made here, the time is not known or the place has too many codes.
    public struct StartCall: Codable, Sendable, Equatable {
        /// The number of the place. Refused with `NoSuchNumber` if there is no such place.
        public var number: Int
        /// The name of the event: one line of 1 to 255 UTF-16 units; `nil` for the name of the place.
        public var name: String?
        /// The kind of event.
        public var kind: EventKind
        /// The start of the event, in Unix seconds; `nil` for one that begins at once.
        public var begins: Int64?
        /// The end of the event, in Unix seconds: after the start and in the future, at most 31 days after the
        /// start, and not after the year 9999.
        public var ends: Int64

        /// Creates the parameters of a call of `Start`. Nothing is checked here: the plugin checks the values when the call
        /// arrives.
        public init(number: Int, name: String? = nil, kind: EventKind, begins: Int64? = nil, ends: Int64) {
            self.number = number
            self.name = name
            self.kind = kind
            self.begins = begins
            self.ends = ends
        }
    }

    /// Reply of `Start` and `End`: the code of the event, which has been stored.
    public struct CodeReply: Codable, Sendable, Equatable {
        /// The code as it is now.
        public var code: Code

        /// Creates a part of replies of the plugin. No value is checked.
        public init(code: Code) {
            self.code = code
        }
    }

    /// Parameters of `ImportCode`. Refused with `Refused` for a text that is not a code for an entrance; with `NotPossible`
    /// for a code that a place already has, if the place has too many codes, and while the time is not known.
    public struct ImportCall: Codable, Sendable, Equatable {
        /// The number of the place. Refused with `NoSuchNumber` if there is no such place.
        public var number: Int
        /// The text of the code as scanned or pasted; at most 4,096 bytes.
        public var code: String

        /// Creates the parameters of a call of `ImportCode`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int, code: String) {
            self.number = number
            self.code = code
        }
    }

    /// Reply of `ImportCode`: the code, which has been verified and stored.
    public struct ImportReply: Codable, Sendable, Equatable {
        /// The imported code, as it is now.
        public var added: Code

        /// Creates the reply of the plugin to `ImportCode`. No value is checked.
        public init(added: Code) {
            self.added = added
        }
    }

    /// Reply of `GetPoster`: the content of the poster to print.
    public struct PosterReply: Codable, Sendable, Equatable {
        /// The code on the poster, as it is now.
        public var code: Code
        /// The text for the QR code; at most 4,096 bytes. It has been checked with the rules for visitors.
        public var text: String
        /// The address of the place; one line, safe to show. `nil` if the code was imported and contains none.
        public var street: String?
        /// The name of the place, if the event of the code has a name of its own; one line, safe to show. `nil` otherwise.
        public var place: String?

        /// Creates the reply of the plugin to `GetPoster`. No value is checked.
        public init(code: Code, text: String, street: String?, place: String? = nil) {
            self.code = code
            self.text = text
            self.street = street
            self.place = place
        }
    }

    /// The place whose code is broadcast, and its hours.
    public struct Broadcasting: Codable, Sendable, Equatable {
        /// The number of the place.
        public var number: Int
        /// The beginning, in minutes of the UTC day, 0 to 1,439; `nil` for the whole day.
        public var opens: Int?
        /// The end, in minutes of the UTC day, 0 to 1,439; `nil` for the whole day. An end before ``opens`` is on the next
        /// day.
        public var closes: Int?

        /// Creates a part of replies of the plugin. No value is checked.
        public init(number: Int, opens: Int? = nil, closes: Int? = nil) {
            self.number = number
            self.opens = opens
            self.closes = closes
        }
    }

    /// Parameters of `SetBroadcast`: the place whose code is broadcast, and in which hours. Refused with `Refused` if only one
    /// of the hours is given, both are the same or one is no minute of a day, or if the place's code is too long for a
    /// broadcast.
    public struct BroadcastCall: Codable, Sendable, Equatable {
        /// The number of the place; `nil` to broadcast nothing. An unknown one is refused with `NoSuchNumber`.
        public var number: Int?
        /// Without ``number``, the place whose broadcast is to end: refused with `NotPossible` if another one is chosen.
        /// `nil` for whichever. Not looked at with ``number``.
        public var former: Int?
        /// The beginning, in minutes of the UTC day, 0 to 1,439; `nil` for the whole day.
        public var opens: Int?
        /// The end, in minutes of the UTC day, 0 to 1,439; `nil` for the whole day.
        public var closes: Int?

        /// Creates the parameters of a call of `SetBroadcast`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int? = nil, former: Int? = nil, opens: Int? = nil, closes: Int? = nil) {
            self.number = number
            self.former = former
            self.opens = opens
            self.closes = closes
        }
    }

    /// Parameters of `SetScreen`: the place whose codes a screen at the door shows.
    public struct ScreenCall: Codable, Sendable, Equatable {
        /// The number of the place; `nil` to switch the screen off. An unknown one is refused with `NoSuchNumber`.
        public var number: Int?
        /// Without ``number``, the place whose screen is to be switched off: refused with `NotPossible` if another one is
        /// chosen. `nil` for whichever. Not looked at with ``number``.
        public var former: Int?

        /// Creates the parameters of a call of `SetScreen`. Nothing is checked here: the plugin checks the number
        /// when the call arrives.
        public init(number: Int? = nil, former: Int? = nil) {
            self.number = number
            self.former = former
        }
    }

    /// Reply of `GetScreen`: the content of a screen at the door, which reveals no more than a poster does.
    public struct ScreenReply: Codable, Sendable, Equatable {
        /// Whether a place was chosen for the screen.
        public var isOn: Bool
        /// The code that is shown now; `nil` if no code is at the door: nobody need check in. While the time is not known, or if a
        /// code cannot be read back, there is no reply but an error.
        public var code: Code?
        /// The text for the QR code, at most 4,096 bytes; `nil` without a code. It has been checked with the rules
        /// for visitors.
        public var text: String?
        /// The address of the place; one line of at most 255 characters, safe to show. `nil` without a code, and if
        /// the code was imported and contains none.
        public var street: String?

        /// Creates the reply of the plugin to `GetScreen`. No value is checked.
        public init(isOn: Bool, code: Code? = nil, text: String? = nil, street: String? = nil) {
            self.isOn = isOn
            self.code = code
            self.text = text
            self.street = street
        }
    }
}
