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
    send(text) {
      this.keep("");
      this.keep(text, `${this.name}/sent`);
    },
    done() {
      this.keep("", `${this.name}/sent`);
    },
  },
};
