// What is written in a field and not sent, in the storage of the browser's tab: a page that is loaded anew has it again.
export default {
  props: { field: Number, name: String },
  emits: ["kept"],
  template: "<div hidden></div>",
  mounted() {
    const text = sessionStorage.getItem(this.name);
    if (text) this.$emit("kept", text);
    this.$nextTick(() => getHtmlElement(this.field)?.addEventListener("input", (event) => this.keep(event.target.value)));
  },
  methods: {
    keep(text) {
      sessionStorage.removeItem(this.name);
      try {
        if (text) sessionStorage.setItem(this.name, text);
      } catch {} // a story fills all that a browser keeps
    },
  },
};
