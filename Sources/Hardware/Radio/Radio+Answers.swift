// SPDX-License-Identifier: Apache-2.0

import HCI

extension Radio {
    /// Writes down what a step has done.
    mutating func succeeded(_ purpose: Procedure.Purpose, _ answer: ReturnParameters, at now: Duration) {
        switch purpose {
        case .reset, .check, .page: break
        case .address: hasAddress = true
        case .version: if case .localVersion(let version) = answer { facts.version = version }
        case .supportedCommands: if case .supportedCommands(let commands) = answer { facts.commands = commands }
        case .features: if case .lowEnergyFeatures(let features) = answer { facts.features = features }
        case .eventMask:
            facts.usesExtendedCommands = choosesExtendedCommands
            let settings = settings
            procedure?.steps += settings
        case .lowEnergyEventMask: if isLastStep() { becomeReady(at: now) }
        case .claimedPower:
            if case .advertisingTransmitPower(let power) = answer { facts.claimedTransmitPower = power }
            becomeReady(at: now)
        case .advertisingParameters(let kind): advertisingParameters = kind
        case .data(let next):
            // Until now a failure leaves the old identity in some of its places; it must not go on air again either way.
            loaded = next
            pages = next.kind == .door ? DoorPages(at: now) : nil
            isFresh = true
        case .advertisingOn:
            isAdvertising = true
            if isFresh { counters.rotations += 1 }
            isFresh = false
            actions.append(.event(.onAir))
        case .advertisingOff(let reason):
            isAdvertising = false
            if reason == .told {
                loaded = nil
                pages = nil
            }
            actions.append(.event(.offAir(reason)))
        case .scanParameters: hasScanParameters = true
        case .scanOn: scanBegan(at: now)
        case .scanResume: scan?.isOn = true
        case .scanPause: scan?.isOn = false
        case .scanOff: finishScan(at: now, isCutShort: !mayListen && now < (scan?.end ?? now))
        case .scanProof: scanWasLost(at: now)
        }
    }

    /// Decides what a refusal, a garbled answer or a silence means.
    mutating func failed(
        _ purpose: Procedure.Purpose, _ command: HCICommand, _ failure: CommandQueue.Failure, at now: Duration
    ) {
        switch failure {
        case .refused(let status):
            if status == .commandDisallowed, excludesEachOther(purpose, at: now) { return }
            if purpose == .scanProof {
                // Any refusal will do: the controller lives and does not take parameters for a scan that is on.
                count(.proveAlive)
                scan?.isProven = true
                return sendNextStep(at: now)
            }
            if purpose.mayBeRefused {
                if purpose == .claimedPower { becomeReady(at: now) }
                return sendNextStep(at: now)
            }
            trouble(.refused(command.opcode, status), at: now)
        case .malformedAnswer: trouble(.malformedAnswer(command.opcode), at: now)
        case .timedOut, .noCredit, .abandoned, .stalled, .queueFull: trouble(.silent, at: now)
        }
    }

    /// Whether a refusal of `purpose` means that the controller cannot advertise and scan at once; then it is served in turns.
    private mutating func excludesEachOther(_ purpose: Procedure.Purpose, at now: Duration) -> Bool {
        switch purpose {
        case .scanOn where isAdvertising && !timeSlices:
            scan = nil
        case .scanResume where isAdvertising && !timeSlices: finishScan(at: now, isCutShort: true)
        case .advertisingOn where scan?.isOn == true && !timeSlices: break
        default: return false
        }
        timeSlices = true
        procedure = nil
        actions.append(.event(.timeSlicing))
        return true
    }

    /// The profile's choice; legacy commands unless the controller says that it lacks them.
    private var choosesExtendedCommands: Bool {
        let legacy: [Opcode] = [.leSetAdvertisingParameters, .leSetAdvertisingData, .leSetAdvertisingEnable]
        let lacksLegacy = facts.commands.map { commands in !legacy.allSatisfy(commands.contains) } ?? false
        let hasExtended = facts.features.contains(.extendedAdvertising)
        switch profile.commands {
        case .legacy: return false
        case .extended: return hasExtended
        case .automatic: return lacksLegacy && hasExtended
        }
    }

    private mutating func becomeReady(at now: Duration) {
        phase = .ready
        readySince = now
        if !profile.mustTimeSlice { timeSlices = false }
        actions.append(.event(.controllerReady(facts)))
    }
}
