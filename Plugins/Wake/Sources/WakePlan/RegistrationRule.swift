// SPDX-License-Identifier: Apache-2.0

/// The rule for when to register for pushes and when to cancel the registration, as SwissCovid's app does it
/// (swisscovid-doc, crowdnotifier, 03-background-synchronisation.md, "When does the SwissCovid app register for silent
/// pushes").
public enum RegistrationRule {
    /// The age above which a registration is renewed: two weeks, as the document says.
    public static let lifetime = Duration.seconds(14 * 86_400)

    /// The events that may change whether a board is registered.
    public enum Event: String, Sendable, CaseIterable {
        /// A new check-in entry was made.
        case checkOut
        /// The person has switched exposure notification off.
        case userDeactivatesEN
        /// The person has switched exposure notification on.
        case userActivatesEN
        /// The program starts. On a board that is never switched off, this event occurs once a day.
        case appStart
    }

    /// The facts at the time of an event; `enActive` is the value before the event.
    public struct State: Hashable, Sendable {
        /// Whether exposure notification was on before the event.
        public var enActive: Bool
        /// Whether there is a check-in that is still stored.
        public var hasCheckIns: Bool
        /// Whether the wearer is in isolation.
        public var inIsolation: Bool
        /// The time since the server accepted the registration; longer than ``RegistrationRule/lifetime`` if it is unknown
        /// whether it did. `nil` if not registered.
        public var registrationAge: Duration?

        /// Creates a state of these values.
        ///
        /// - Parameters:
        ///   - enActive: Whether exposure notification was on before the event.
        ///   - hasCheckIns: Whether there are check-ins.
        ///   - inIsolation: Whether the person is in isolation.
        ///   - registrationAge: The time since the server accepted the registration; `nil` if not registered.
        public init(enActive: Bool, hasCheckIns: Bool, inIsolation: Bool, registrationAge: Duration?) {
            self.enActive = enActive
            self.hasCheckIns = hasCheckIns
            self.inIsolation = inIsolation
            self.registrationAge = registrationAge
        }
    }

    /// The message that the server has to get; ``Action/none`` if it needs none.
    public enum Action: String, Sendable, CaseIterable { case register, deregister, none }

    /// Returns the action that follows from an event in this state, by the document's table. Cannot fail.
    public static func action(on event: Event, _ state: State) -> Action {
        let isRegistered = state.registrationAge != nil
        switch event {
        case .checkOut: return !state.enActive && !isRegistered ? .register : .none
        // Whether registered before or not, as the text has it.
        case .userDeactivatesEN: return state.hasCheckIns ? .register : .none
        case .userActivatesEN: return isRegistered ? .deregister : .none
        case .appStart:
            if state.enActive { return isRegistered ? .deregister : .none }
            guard state.hasCheckIns, !state.inIsolation else { return .none }
            guard let age = state.registrationAge else { return .register }
            return age > lifetime ? .register : .none
        }
    }

    /// Returns whether a wake is of use at the moment: there are check-ins, exposure notification is off, and the wearer is
    /// not in isolation. All values are current.
    public static func isWanted(enActive: Bool, hasCheckIns: Bool, inIsolation: Bool) -> Bool {
        hasCheckIns && !enActive && !inIsolation
    }
}
