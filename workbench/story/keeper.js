// The story that is open, in the storage of the browser's tab: a page that is loaded anew has it again.
export default {
  props: { url: String, name: String },
  emits: ["waits", "answer", "lost"],
  template: "<div hidden></div>",
  mounted() {
    const { story } = this.kept();
    if (!story) return this.mark(false);
    this.ask(story.unsaved);
    this.$emit("waits", story);
  },
  methods: {
    kept() {
      const text = sessionStorage.getItem(`${this.name}/text`);
      return text === null ? {} : { story: JSON.parse(sessionStorage.getItem(this.name)), text };
    },
    ask(unsaved) {
      // Not where the page is loaded anew because its connection was away for long.
      window.onbeforeunload = (event) => {
        if (unsaved && window.socket?.connected) event.preventDefault();
      };
    },
    async bring() {
      const { story, text } = this.kept();
      if (!story) return;
      const form = new FormData();
      form.append("files", new File([text], story.name), story.name);
      for (const field of ["path", "sha256", "unsaved", "page"]) form.append(field, story[field]);
      form.append("changing", sessionStorage.getItem(`${this.name}/changing`) !== null);
      let answer;
      try {
        answer = await (await fetch(this.url, { method: "POST", body: form })).json();
        this.mark(false);
      } catch {
        answer = { error: { message: `${story.name}, which this tab keeps, did not reach the server.` } };
      }
      this.$emit("answer", answer);
    },
    // A turn is under way: where the page ends before that does, nobody else would know.
    mark(isChanging) {
      const place = `${this.name}/changing`;
      if (isChanging) sessionStorage.setItem(place, "");
      else sessionStorage.removeItem(place);
    },
    handOut() {
      const { story, text } = this.kept();
      if (story) handOut(story.name, new Blob([text]));
    },
    keep(story, text) {
      const place = `${this.name}/text`; // apart, as it is: within JSON each of its quotes would be two characters
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
      this.ask(story.unsaved);
    },
  },
};
