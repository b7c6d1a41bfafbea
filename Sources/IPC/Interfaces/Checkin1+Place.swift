// SPDX-License-Identifier: Apache-2.0

/// The host's half: codes at the door of a place.
extension Checkin1 {
    /// The kinds of place.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case other, retail, foodService, craft, workplace, education, publicBuilding
    }

    /// The kinds of event.
    public enum EventKind: String, Codable, Sendable, CaseIterable { case other, culture, club, privateEvent, worship }

    /// The state of a code. `coming`: its event has not begun; `shown`: it is; `ended`: its event is over; `revoked`:
    /// another one took its place.
    public enum CodeState: String, Codable, Sendable, CaseIterable { case coming, shown, ended, revoked }

    /// One code of a place, without its text.
    public struct Code: Codable, Sendable, Equatable {
        /// The code's number, from 1 on; never used again on this device.
        public var number: Int
        /// The system whose code it is.
        public var system: System
        /// The code's name for the place or the event; one line, fit to be shown.
        public var name: String
        /// The state of the code: shown at the door, not yet, or no more; see ``CodeState``.
        public var state: CodeState
        /// Whether it was made here; otherwise it was imported.
        public var own: Bool
        /// The start of its event, Unix seconds; `nil` for a code without an event, and for an imported one, which is shown
        /// at once.
        public var begins: Int64?
        /// The end of its event, perhaps made earlier by `End`, Unix seconds; for an imported code, the end of its validity
        /// as the code says. `nil` for a code without an end.
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

    /// A place at whose door codes hang.
    public struct Place: Codable, Sendable, Equatable {
        /// The place's number, from 1 on; never used again.
        public var number: Int
        /// The place's name in its codes; fit to be shown.
        public var name: String
        /// Street and town; one line, fit to be shown.
        public var street: String
        /// The kind of place.
        public var kind: Kind
        /// Minutes after which a visitor is usually gone, 15 to 1,425.
        public var stayMinutes: Int
        /// The codes of the place, with those of events and revoked ones that are still kept; at most 16.
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

    /// Reply of `GetPlaces`: all places of the device, and what can be done here.
    public struct PlacesReply: Codable, Sendable, Equatable {
        /// All places of the device; at most 16.
        public var places: [Place]
        /// Systems whose codes can be made here: `coronaWarnApp` where it is followed, otherwise none.
        public var makes: [System]
        /// Systems whose codes can be imported: all that are followed here, at most 3.
        public var imports: [System]
        /// The number of the place whose codes the screen at the door shows; `nil` if none.
        public var screen: Int?

        /// Made by the plugin to answer `GetPlaces`. No value is checked.
        public init(places: [Place], makes: [System], imports: [System], screen: Int? = nil) {
            self.places = places
            self.makes = makes
            self.imports = imports
            self.screen = screen
        }
    }

    /// Parameters of `Describe`: a place, new or changed. What no code can say is refused with `Refused`; a place or code beyond those that there may
    /// be with `NotPossible`.
    public struct DescribeCall: Codable, Sendable, Equatable {
        /// The number of the place; `nil` for a new one. An unknown one is refused with `NoSuchNumber`.
        public var number: Int?
        /// The name of the place: one line of 1 to 255 UTF-16 units.
        public var name: String
        /// Street and town, in one line of 1 to 255 UTF-16 units.
        public var street: String
        /// The kind of place.
        public var kind: Kind
        /// Minutes after which a visitor is usually gone, 15 to 1,425.
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

    /// Reply of `Describe` and `Revoke`: the place, changed on the disk.
    public struct PlaceReply: Codable, Sendable, Equatable {
        /// The place as it is now.
        public var place: Place

        /// Creates a part of replies of the plugin. No value is checked.
        public init(place: Place) {
            self.place = place
        }
    }

    /// Parameters of `Start`: an event at a place. Times and names that no code can have are refused with `Refused`; every event with `NotPossible`
    /// where no codes can be made or the time is not known.
    public struct StartCall: Codable, Sendable, Equatable {
        /// The number of the place; an unknown one is refused with `NoSuchNumber`.
        public var number: Int
        /// The name of the event: one line of 1 to 255 UTF-16 units; `nil` for the place's name.
        public var name: String?
        /// The kind of event.
        public var kind: EventKind
        /// The start, Unix seconds; `nil` for now.
        public var begins: Int64?
        /// The end, Unix seconds; at most 31 days after the start.
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

    /// Reply of `Start` and `End`: an event's code, kept on the disk.
    public struct CodeReply: Codable, Sendable, Equatable {
        /// The code as it is now.
        public var code: Code

        /// Creates a part of replies of the plugin. No value is checked.
        public init(code: Code) {
            self.code = code
        }
    }

    /// Parameters of `ImportCode`. What is not a code that can hang at a door is refused with `Refused`; with `NotPossible` one that hangs at a door
    /// already, or beyond those that a place may have, and every one while the time is not known.
    public struct ImportCall: Codable, Sendable, Equatable {
        /// The number of the place; an unknown one is refused with `NoSuchNumber`.
        public var number: Int
        /// The text as scanned or pasted; at most 4,096 bytes.
        public var code: String

        /// Creates the parameters of a call of `ImportCode`. Nothing is checked here: the plugin checks the values when the
        /// call arrives.
        public init(number: Int, code: String) {
            self.number = number
            self.code = code
        }
    }

    /// Reply of `ImportCode`: the code, verified and kept on the disk.
    public struct ImportReply: Codable, Sendable, Equatable {
        /// The code that was taken in, as it is now.
        public var added: Code

        /// Creates the reply of the plugin to `ImportCode`. No value is checked.
        public init(added: Code) {
            self.added = added
        }
    }

    /// Reply of `GetPoster`: what is printed.
    public struct PosterReply: Codable, Sendable, Equatable {
        /// The code that the poster is for, as it is now.
        public var code: Code
        /// The text to be drawn as a QR code; at most 4,096 bytes. It was read back by the rules for visitors.
        public var text: String
        /// The place's address; one line, fit to be shown. `nil` if the place is imported and its code has none.
        public var street: String?

        /// Creates the reply of the plugin to `GetPoster`. No value is checked.
        public init(code: Code, text: String, street: String?) {
            self.code = code
            self.text = text
            self.street = street
        }
    }

    /// Parameters of `SetScreen`: which place a screen at the door shows.
    public struct ScreenCall: Codable, Sendable, Equatable {
        /// The number of the place; `nil` to switch the screen off. An unknown one is refused with `NoSuchNumber`.
        public var number: Int?

        /// Made by whoever calls `SetScreen`. Nothing is checked here: the plugin checks the number when the call arrives.
        public init(number: Int? = nil) {
            self.number = number
        }
    }

    /// Reply of `GetScreen`: what a screen at the door shows, and no more than a poster does.
    public struct ScreenReply: Codable, Sendable, Equatable {
        /// Whether a place was chosen for the screen.
        public var isOn: Bool
        /// The code that is shown now; `nil` if no code is at the door, and while the time is not known.
        public var code: Code?
        /// The text to be drawn as a QR code, at most 4,096 bytes; `nil` without a code. It was read back by the rules for visitors.
        public var text: String?
        /// Where the place is; one line, fit to be shown. `nil` without a code, and if it is imported and does not say.
        public var street: String?

        /// Made by the plugin to answer `GetScreen`. No value is checked.
        public init(isOn: Bool, code: Code? = nil, text: String? = nil, street: String? = nil) {
            self.isOn = isOn
            self.code = code
            self.text = text
            self.street = street
        }
    }
}
