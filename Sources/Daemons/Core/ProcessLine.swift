// SPDX-License-Identifier: Apache-2.0

import Interfaces
import JSON

/// A line of the supervisor's file `technician/processes`, as `org.vigil.technician1.GetProcesses` tells it.
enum ProcessLine {
    /// Who is told.
    enum Reader {
        /// The console, and whoever asks on a place's device.
        case everything
        /// A caller of this name on a person's device, which is not the console.
        case other(String)
    }

    /// A plugin that is started when it is needed runs when its wearer tests, checks in, donates or looks at a page. So nobody else is told
    /// when that is: it is said to wait while all is well with it. What goes wrong with it is told to everybody.
    ///
    /// `seconds` are on the boot clock. Gives `nil` for what is no JSON object.
    static func told(_ line: ArraySlice<UInt8>, to reader: Reader, at seconds: Int64) -> JSON? {
        guard case .object(var process)? = try? JSON(parsing: Array(line)) else { return nil }
        if case .other(let name) = reader, process["onDemand"] == true, process["name"]?.string != name,
            let state = process["state"]?.string.flatMap(Technician1.ProcessState.init(rawValue:)), state.comesAndGoes
        {
            process["state"] = .string(Technician1.ProcessState.waiting.rawValue)
            process["since"] = 0
            for name in ["memory", "lastExit", "reason"] { process[name] = nil }
        }
        process["sinceSeconds"] = .int(max(0, seconds - (process["since"]?.int ?? seconds)))
        process["since"] = nil
        process["onDemand"] = nil
        return .object(process)
    }
}

extension Technician1.ProcessState {
    /// Whether a process that is started when it is needed is in this state while all is well with it.
    fileprivate var comesAndGoes: Bool {
        switch self {
        case .waiting, .starting, .running, .stopping: true
        case .backingOff, .quarantined, .disabled, .refused, .safeMode: false
        }
    }
}
