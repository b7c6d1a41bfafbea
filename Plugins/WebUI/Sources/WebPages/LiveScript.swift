// SPDX-License-Identifier: Apache-2.0

extension Assets {
    /// The script `/live.js`, without which pages work, too. It listens to `/events`, puts the received markup into the
    /// places that are marked for it, counts down, shows a secret on demand, and shows and takes times in the reader's own time zone
    /// (LocalTime.swift). `Content-Type: text/javascript; charset=utf-8`.
    ///
    /// An event has the name of its place (`data-live`), and as its data the markup that
    /// ``WearerPages/todayFragment(_:_:)`` and similar functions return, each line as a `data:` line. The server sends only
    /// markup that it made with the same escaping, and nothing from elsewhere.
    public static let liveScript = #"""
        "use strict";
        (() => {
          const format = (options) => new Intl.DateTimeFormat(document.documentElement.lang,
            { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...options });
          const clock = format({}), moment = format({ weekday: "short", day: "numeric", month: "long" });
          const localTimes = (root) => {
            for (const element of root.querySelectorAll("time[data-local]")) {
              const date = new Date(element.dateTime);
              if (isNaN(date)) continue;
              element.title = element.textContent;
              element.textContent = moment.format(date);
            }
          };
          localTimes(document);

          // Fields in the reader's own time, which are sent in UTC.
          const two = (number) => String(number).padStart(2, "0");
          const localDay = (date) => date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate());
          const localClock = (date, length) =>
            (two(date.getHours()) + ":" + two(date.getMinutes()) + ":" + two(date.getSeconds())).slice(0, Math.max(5, length));
          const today = new Date().toISOString();
          const inUTC = (day, time) => new Date((day || today.slice(0, 10)) + "T" + (time || today.slice(11, 19)) + "Z");
          if ("FormDataEvent" in window) {
            for (const element of document.querySelectorAll("[data-here]")) {
              element.textContent = element.dataset.here.replace(/@([-0-9T:Z]+|now)@/g, (all, text) => {
                if (text === "now") return clock.format(new Date());
                return text.length === 5 ? clock.format(inUTC("", text)) : moment.format(new Date(text));
              });
            }
            for (const field of document.querySelectorAll("input[data-utc]")) {
              const partner = field.form.elements[field.dataset.utc];
              const date = partner ? inUTC(field.value, partner.value) : inUTC("", field.value);
              // A day without a time is the device's own proposal, today in UTC, or what somebody has typed, which stays.
              const isWhole = !partner || partner.value || field.value === today.slice(0, 10);
              const values = () => [field.value, partner ? partner.value : ""];
              const came = values();
              if (field.value && isWhole && !isNaN(date)) {
                if (partner && partner.value) partner.value = localClock(date, partner.value.length);
                field.value = partner ? localDay(date) : localClock(date, 5);
              }
              const shown = values();
              field.form.addEventListener("formdata", ({ formData }) => {
                const time = partner || field;
                if (!field.value || !time.value) return;
                // What nobody has changed goes back as it came: in the night when clocks go back, one text is two times.
                if (shown.join() === values().join()) {
                  formData.set(field.name, came[0]);
                  if (partner) formData.set(partner.name, came[1]);
                  return;
                }
                const sent = new Date((partner ? field.value : localDay(new Date())) + "T" + time.value);
                if (isNaN(sent)) return;
                if (partner) formData.set(field.name, sent.toISOString().slice(0, 10));
                formData.set(time.name, sent.toISOString().slice(11, 11 + time.value.length));
              });
            }
          }

          // Secrets are hidden until somebody chooses to see them, and again before they are sent: browsers remember what is in plain fields.
          for (const field of document.querySelectorAll("input[data-reveal]")) {
            const label = document.createElement("label"), choice = document.createElement("input");
            choice.type = "checkbox";
            choice.addEventListener("change", () => { field.type = choice.checked ? "text" : "password"; });
            field.form.addEventListener("submit", () => { field.type = "password"; choice.checked = false; });
            label.className = "reveal";
            label.append(choice, field.dataset.reveal);
            field.after(label);
          }

          for (const element of document.querySelectorAll("[data-countdown]")) {
            const end = Date.now() + 1000 * Number(element.dataset.countdown);
            const tick = () => {
              const left = Math.max(0, Math.round((end - Date.now()) / 1000));
              element.textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
              if (left > 0) setTimeout(tick, 1000); else location.reload();
            };
            element.setAttribute("role", "timer");
            tick();
          }

          const places = document.querySelectorAll("[data-live]");
          if (!places.length || !window.EventSource) return;
          const names = [...new Set([...places].map((place) => place.dataset.live))];
          const events = new EventSource("/events?of=" + names.map(encodeURIComponent).join(","));
          for (const place of places) {
            let last = null;
            events.addEventListener(place.dataset.live, (event) => {
              if (event.data === last) return;
              last = event.data;
              // Never under somebody's hands.
              if (place.contains(document.activeElement)) return;
              const part = new DOMParser().parseFromString(event.data, "text/html");
              if (part.body.textContent === place.textContent) return;
              place.replaceChildren(...part.body.childNodes);
              localTimes(place);
            });
          }
          // Refused for good: the page asks again by itself, but not while somebody writes in it.
          const again = () => {
            const field = document.activeElement;
            if (field && field.form) setTimeout(again, 30000); else location.reload();
          };
          events.addEventListener("error", () => { if (events.readyState === 2) setTimeout(again, 30000); });
          // Whoever it was shown to is signed in no more.
          events.addEventListener("ended", () => { events.close(); location.reload(); });
          addEventListener("pagehide", () => events.close());
        })();

        """#
}
