// The story that is open, in the storage of the browser's tab: a page that is loaded anew has it again.
export default {
  props: { url: String, name: String },
  emits: ["answer", "lost"],
  template: "<div hidden></div>",
  async mounted() {
    const kept = JSON.parse(sessionStorage.getItem(this.name) ?? "null");
    const text = sessionStorage.getItem(`${this.name}-text`);
    if (!kept || text === null) return;
    const form = new FormData();
    form.append("files", new File([text], kept.name), kept.name);
    for (const field of ["path", "sha256", "unsaved"]) form.append(field, kept[field]);
    const response = await fetch(this.url, { method: "POST", body: form });
    this.$emit("answer", await response.json());
  },
  methods: {
    keep(story, text) {
      const place = `${this.name}-text`; // apart, as it is: within JSON each of its quotes would be two characters
      try {
        if (text === null) throw new RangeError();
        sessionStorage.setItem(place, text);
        sessionStorage.setItem(this.name, JSON.stringify(story));
      } catch {
        // More than a browser keeps. What it had is another state of the story, which nobody asked to have again.
        sessionStorage.removeItem(this.name);
        sessionStorage.removeItem(place);
        this.$emit("lost");
      }
      // Not where the page is loaded anew because its connection was away for long.
      window.onbeforeunload = (event) => {
        if (story.unsaved && window.socket?.connected) event.preventDefault();
      };
    },
  },
};
