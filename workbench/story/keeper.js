// The story that is open, in the storage of the browser's tab: a page that is loaded anew has it again.
export default {
  props: { url: String, name: String, form: Number },
  emits: ["waits", "answer", "lost", "clicked", "returns"],
  template: "<div hidden></div>",
  watch: {
    form() {
      this.forgetForm();
    },
  },
  mounted() {
    // Listeners, as the library has a handler of its own: by that it knows a tab again which is loaded anew.
    const [forget, reloads] = [this.forget, this.loadsAnew];
    this.heard = { beforeunload: this.leaves, click: this.clicks, input: this.writes, forget, reloads };
    for (const kind in this.heard) addEventListener(kind, this.heard[kind]);
    this.count = this.answered = 0;
    this.forgetForm();
    queueMicrotask(() => this.listens(window.socket)); // it is made once all elements are there
    this.tellForm();
    const { story } = this.kept();
    if (!story) return this.mark();
    this.ask(story.unsaved);
    this.$emit("waits", story);
  },
  unmounted() {
    for (const kind in this.heard) removeEventListener(kind, this.heard[kind]);
    window.socket.off("connect", this.returns);
    window.socket.off("connect_error", this.fails);
  },
  methods: {
    kept() {
      const text = sessionStorage.getItem(`${this.name}/text`);
      return text === null ? {} : { story: JSON.parse(sessionStorage.getItem(this.name)), text };
    },
    ask(unsaved) {
      this.unsaved = unsaved;
    },
    // Into a form of a function: what is written there is nowhere else until that form is drawn anew.
    writes(event) {
      const { target } = event;
      if (!target.closest(".function") || target.matches("[role=combobox]")) return;
      for (const field of this.written.keys()) // one of those that were drawn before another tab of the page was shown
        if (!field.isConnected && field.ariaLabel === target.ariaLabel) this.written.delete(field);
      this.written.set(target, `${target.ariaLabel}: ${target.value}`);
      if (!target.value) this.written.delete(target);
    },
    forgetForm() {
      this.written = new Map();
    },
    forget() {
      this.unsaved = false;
      this.forgetForm();
    },
    leaves(event) {
      if ((this.unsaved || this.written.size) && !window.loadsAnew) event.preventDefault();
    },
    listens(socket) {
      socket.on("connect", this.returns);
      const others = socket.listeners("connect_error"); // first, as the library's loads the page anew
      socket.off("connect_error");
      for (const listener of [this.fails, ...others]) socket.on("connect_error", listener);
    },
    // The page is loaded anew where its connection was away for long, and then it has the story again.
    fails(error) {
      window.loadsAnew = false;
      if (error.message === "timeout" || error.message === "Implicit handshake failed") this.loadsAnew();
    },
    // Of what stands only in the form of a function, the next page says what it was.
    loadsAnew() {
      window.loadsAnew = true; // by itself, and nobody is asked
      setTimeout(() => (window.loadsAnew = false), 5000);
      this.keepForm([this.told, ...this.written.values()]);
    },
    keepForm(lines) {
      const place = `${this.name}/form`;
      const said = lines.filter(Boolean).join("\n");
      sessionStorage.removeItem(place);
      try {
        if (said) sessionStorage.setItem(place, said);
      } catch {} // a story fills all that a browser keeps
    },
    tellForm() {
      this.told = sessionStorage.getItem(`${this.name}/form`);
      if (!this.told) return;
      const close = () => this.keepForm([(this.told = null)]); // until then a page that follows says it again
      const message = `The page was loaded anew, and this stood in its form:\n${this.told}`;
      const actions = [{ label: "Close", handler: close }];
      this.$q.notify({ message, type: "warning", multiLine: true, timeout: 0, classes: "form-lost", actions });
    },
    // A click may begin a turn, and where the connection breaks off just then, nobody else knows of it.
    clicks(event) {
      if (!event.target.closest(".change button")) return;
      this.count += 1;
      this.mark(this.count);
      this.$emit("clicked", this.count);
    },
    returns() {
      this.keepForm([this.told]); // what stands in the form is there still
      if (this.answered < this.count) this.$emit("returns", this.count);
    },
    hear(count, underWay) {
      this.answered = count;
      if (count === this.count) this.mark(underWay);
    },
    async bring() {
      const { story, text } = this.kept();
      if (!story) return;
      const form = new FormData();
      form.append("files", new File([text], story.name), story.name);
      for (const field of ["path", "sha256", "unsaved", "page"]) form.append(field, story[field]);
      form.append("changing", sessionStorage.getItem(`${this.name}/changing`) ?? "");
      let answer;
      try {
        answer = await (await fetch(this.url, { method: "POST", body: form })).json();
        if ("name" in answer) this.mark(); // else it is asked for again, and then it is still to be said
      } catch {
        answer = { error: { message: `${story.name}, which this tab keeps, did not reach the server.` } };
      }
      this.$emit("answer", answer);
    },
    // The number of a click, or that a turn is under way: where the page ends before that does, nobody else would know.
    mark(underWay) {
      const place = `${this.name}/changing`;
      sessionStorage.removeItem(place);
      try {
        if (underWay) sessionStorage.setItem(place, underWay);
      } catch {} // of a story that fills all that a browser keeps, nothing comes back
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
