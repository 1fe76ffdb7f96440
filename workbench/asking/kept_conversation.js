// What was said, in the storage of the browser's tab: a page that is loaded anew has it again.
export default {
  emits: ["kept"],
  template: "<div hidden></div>",
  methods: {
    read(name) {
      const text = sessionStorage.getItem(name);
      if (text) this.$emit("kept", { name, text });
    },
    keep(name, text) {
      try {
        sessionStorage.setItem(name, text);
      } catch {
        sessionStorage.removeItem(name); // more than a browser keeps
      }
    },
  },
};
