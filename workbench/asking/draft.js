// What is written in a field, in the storage of the browser's tab, until something came of it: a page that is loaded
// anew has it again.
export default {
  props: { field: Number, name: String },
  emits: ["kept"],
  template: "<div hidden></div>",
  mounted() {
    const text = [`${this.name}/sent`, this.name].map((name) => sessionStorage.getItem(name)).filter(Boolean);
    if (text.length) this.$emit("kept", text.join("\n\n"));
    this.$nextTick(() => getHtmlElement(this.field)?.addEventListener("input", (event) => this.keep(event.target.value)));
  },
  methods: {
    keep(text, name = this.name) {
      sessionStorage.removeItem(name);
      try {
        if (text) sessionStorage.setItem(name, text);
      } catch {} // a story fills all that a browser keeps
    },
    // What was written after a click stays: the server had not heard of that yet as it emptied the field. It is put
    // there as if it was written now, as more of it may be by the time that the server has heard.
    send(text) {
      const written = sessionStorage.getItem(this.name) ?? "";
      const since = written.startsWith(text) ? written.slice(text.length) : written;
      this.keep(since);
      this.keep(text, `${this.name}/sent`);
      if (since) this.$nextTick(() => this.write(since));
    },
    write(text) {
      const area = getHtmlElement(this.field);
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    },
    done() {
      this.keep("", `${this.name}/sent`);
    },
  },
};
