// SPDX-License-Identifier: Apache-2.0

import GAEN
import HCI

/// Commands that belong together, sent one after the other; the first that fails ends it.
struct Procedure: Sendable {
    /// One command, and what it is for.
    struct Step: Sendable {
        let purpose: Purpose
        let command: HCICommand
    }

    /// What a step does to the controller, so that its success can be written down.
    enum Purpose: Sendable, Equatable {
        case reset, version, supportedCommands, features
        case eventMask, lowEnergyEventMask, claimedPower
        case advertisingOff(RadioEvent.OffAirReason)
        case address
        case advertisingParameters(Sending.Kind)
        case data(Sending)
        /// The next fragment of what is on air.
        case page
        case advertisingOn
        case scanParameters, scanOn, scanOff, scanPause, scanResume
        /// Scan parameters while scanning, which a scanning controller must refuse.
        case scanProof
        /// Any command that every controller answers.
        case check

        /// Steps whose refusal says something about the controller but is no trouble.
        var mayBeRefused: Bool {
            switch self {
            case .supportedCommands, .features, .claimedPower: true
            default: false
            }
        }
    }

    var steps: ArraySlice<Step>
    /// The command under way.
    var ticket: CommandQueue.Ticket?

    init(_ steps: [Step]) { self.steps = steps[...] }
}

extension Radio {
    /// After a reset: who are you?
    static let questions: [Procedure.Step] = [
        .init(purpose: .reset, command: .reset),
        .init(purpose: .version, command: .readLocalVersionInformation),
        .init(purpose: .supportedCommands, command: .readLocalSupportedCommands),
        .init(purpose: .features, command: .leReadLocalSupportedFeatures),
        .init(purpose: .eventMask, command: .setEventMask([.hardwareError, .lowEnergy])),
    ]

    /// What can only be said when it is known which commands the controller has.
    var settings: [Procedure.Step] {
        var mask: LEEventMask = [.advertisingReport]
        if facts.usesExtendedCommands { mask = [.extendedAdvertisingReport, .advertisingSetTerminated] }
        var steps = [Procedure.Step(purpose: .lowEnergyEventMask, command: .leSetEventMask(mask))]
        // With extended commands in use this legacy one would be refused.
        if !facts.usesExtendedCommands {
            steps.append(.init(purpose: .claimedPower, command: .leReadAdvertisingTransmitPower))
        }
        return steps
    }

    /// The commands in use.
    var dialect: CommandSet.Dialect { facts.usesExtendedCommands ? commands.extended : commands.legacy }

    /// From whatever is on air to `next`: pause scan, disable, addresses, data, enable, resume (DESIGN, rules of the domain).
    ///
    /// Advertising stays off when the scan under way excludes it.
    func rotation(to next: Sending) throws(HCIError) -> [Procedure.Step] {
        let isListening = scan?.isOn ?? false
        var steps: [Procedure.Step] = []
        if isListening { steps.append(.init(purpose: .scanPause, command: dialect.scanOff)) }
        if isAdvertising { steps.append(.init(purpose: .advertisingOff(.rotation), command: dialect.advertisingOff)) }
        // The address of scanning, too: a passive scanner sends nothing, but controllers want one.
        steps.append(.init(purpose: .address, command: try .leSetRandomAddress(next.address)))
        if advertisingParameters != next.kind {
            steps.append(
                .init(purpose: .advertisingParameters(next.kind), command: dialect.advertisingParameters(next.kind)))
        }
        if facts.usesExtendedCommands {
            steps.append(.init(purpose: .address, command: try .leSetAdvertisingSetRandomAddress(next.address)))
        }
        for command in try dataCommands(next.data(profile.beacon.form)) {
            steps.append(.init(purpose: .data(next), command: command))
        }
        if !(timeSlices && scan != nil) { steps.append(.init(purpose: .advertisingOn, command: dialect.advertisingOn)) }
        if isListening { steps.append(.init(purpose: .scanResume, command: dialect.scanOn)) }
        return steps
    }
}
