// SPDX-License-Identifier: Apache-2.0

extension Assets {
    /// The script `/live.js`, without which pages work, too. It listens to `/events`, puts the received markup into the
    /// places that are marked for it, counts down, and shows times in the reader's own time zone. `Content-Type:
    /// text/javascript; charset=utf-8`.
    ///
    /// An event has the name of its place (`data-live`), and as its data the markup that
    /// ``WearerPages/todayFragment(_:_:)`` and similar functions return, each line as a `data:` line. The server sends only
    /// markup that it made with the same escaping, and nothing from elsewhere.
    public static let liveScript = #"""
        "use strict";
        (() => {
          const localTimes = (root) => {
            for (const element of root.querySelectorAll("time[data-local]")) {
              const moment = new Date(element.dateTime);
              if (isNaN(moment)) continue;
              element.title = element.textContent;
              element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
                day: "numeric", month: "long", hour: "2-digit", minute: "2-digit"
              }).format(moment);
            }
          };
          localTimes(document);

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
          // Whoever it was shown to is signed in no more.
          events.addEventListener("ended", () => { events.close(); location.reload(); });
          addEventListener("pagehide", () => events.close());
        })();

        """#
}
