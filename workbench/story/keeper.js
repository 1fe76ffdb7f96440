// The story that is open, in the storage of the browser's tab: a page that is loaded anew has it again.
export default {
  props: { url: String, name: String },
  emits: ["answer"],
  template: "<div hidden></div>",
  async mounted() {
    const kept = JSON.parse(sessionStorage.getItem(this.name) ?? "null");
    if (!kept) return;
    const form = new FormData();
    form.append("files", new File([kept.text], kept.name), kept.name);
    for (const field of ["path", "sha256", "unsaved"]) form.append(field, kept[field]);
    const response = await fetch(this.url, { method: "POST", body: form });
    this.$emit("answer", await response.json());
  },
  methods: {
    keep(story) {
      try {
        if (story.text === null) sessionStorage.removeItem(this.name);
        else sessionStorage.setItem(this.name, JSON.stringify(story));
      } catch {
        sessionStorage.removeItem(this.name); // more than a browser keeps
      }
      // Not where the page is loaded anew because its connection was away for long.
      window.onbeforeunload = (event) => {
        if (story.unsaved && window.socket?.connected) event.preventDefault();
      };
    },
  },
};
