// SPDX-License-Identifier: Apache-2.0

import HCI

extension Radio {
    /// Starts what is to be done next, if nothing is under way. What goes on air comes before what is listened to.
    mutating func work(at now: Duration) {
        while phase == .ready, procedure == nil, let steps = nextSteps(at: now), !steps.isEmpty {
            run(Procedure(steps), at: now)
        }
    }

    private mutating func nextSteps(at now: Duration) -> [Procedure.Step]? {
        if let wanted, wanted != loaded {
            do throws(HCIError) { return try rotation(to: wanted) } catch {
                // What is sent has a usable address and fits, so HCI has nothing to refuse.
                self.wanted = nil
            }
        }
        if wanted == nil, isAdvertising {
            return [.init(purpose: .advertisingOff(.told), command: dialect.advertisingOff)]
        }
        if wanted != nil, !isAdvertising, !(timeSlices && scan != nil) {
            return [.init(purpose: .advertisingOn, command: dialect.advertisingOn)]
        }
        if let step = pageStep(at: now) { return [step] }
        if let steps = scanSteps(at: now) { return steps }
        if now >= lastWord + profile.controllerCheck {
            count(.proveAlive)
            return [.init(purpose: .check, command: .readLocalVersionInformation)]
        }
        return nil
    }

    /// Asks the controller, after a reset, who it is.
    mutating func setUp(at now: Duration) {
        controllerForgot(at: now)
        phase = .settingUp
        facts = ControllerFacts()
        run(Procedure(Self.questions), at: now)
    }

    /// Writes down that the controller does nothing and holds nothing.
    mutating func controllerForgot(at now: Duration) {
        procedure = nil
        if isAdvertising { actions.append(.event(.offAir(.trouble))) }
        isAdvertising = false
        loaded = nil
        hasAddress = false
        advertisingParameters = nil
        pages = nil
        hasScanParameters = false
        readySince = nil
        if scan != nil { finishScan(at: now, isCutShort: true) }
    }

    private mutating func run(_ new: Procedure, at now: Duration) {
        procedure = new
        sendNextStep(at: now)
    }

    func isLastStep() -> Bool { procedure?.steps.isEmpty ?? true }

    /// Sends the first remaining step, or ends the procedure.
    mutating func sendNextStep(at now: Duration) {
        guard let step = procedure?.steps.first else {
            procedure = nil
            return
        }
        let (ticket, queued) = queue.enqueue(step.command, at: now)
        procedure?.ticket = ticket
        absorb(queued, at: now)
    }

    /// Takes what the queue says.
    mutating func absorb(_ queued: [CommandQueue.Action], at now: Duration) {
        for action in queued {
            switch action {
            case .send(let bytes): actions.append(.send(bytes))
            case .completed(let ticket, _, let answer):
                guard let step = take(ticket) else { continue }
                succeeded(step.purpose, answer, at: now)
                // What followed from it may have begun another procedure already.
                if let procedure, procedure.ticket == nil { sendNextStep(at: now) }
            case .failed(let ticket, let command, let failure):
                guard let step = take(ticket) else { continue }
                failed(step.purpose, command, failure, at: now)
            case .unexpected: counters.unexpectedAnswers += 1
            }
        }
    }

    /// The step that `ticket` was for, unless its procedure was given up.
    private mutating func take(_ ticket: CommandQueue.Ticket) -> Procedure.Step? {
        guard procedure?.ticket == ticket, let step = procedure?.steps.popFirst() else { return nil }
        procedure?.ticket = nil
        return step
    }

    mutating func count(_ rung: Rung) { counters.rungs[rung, default: 0] += 1 }
}
