// A table that is being played at, as an element. What stands in `<calza-table>` is for pages without scripts; the JSON in it
// is where the script starts from.

import { Scene } from "./scene.js";

class LiveTable extends HTMLElement {
  connectedCallback() {
    const start = this.querySelector("#table-start")?.textContent;
    if (start) new Scene(this, JSON.parse(start));
  }
}

customElements.define("calza-table", LiveTable);
