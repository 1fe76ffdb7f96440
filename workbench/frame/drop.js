// Files and folders, from the disk to an address of this server.
const MOST_FILES = 20, MOST_BYTES = 64 * 2 ** 20; // of one request; a longer file goes by itself
// A form writes these in a name as %22 and the like, which are names too; JSON has the name as it is.
const WRITTEN_OTHERWISE = /["\r\n]/, MOST_BYTES_OF_JSON = 16 * 2 ** 20;

// What cannot be read is named, with no file.
async function filesIn(entry, path) {
  if (entry instanceof File) return [[entry.name, entry]];
  const found = [];
  try {
    if (entry.isFile) return [[path + entry.name, await new Promise((yes, no) => entry.file(yes, no))]];
    const reader = entry.createReader();
    for (let some; (some = await new Promise((yes, no) => reader.readEntries(yes, no))).length; )
      for (const inner of some) if (!inner.name.startsWith(".")) found.push(...(await filesIn(inner, path + entry.name + "/")));
  } catch {
    found.push([path + entry.name, null]);
  }
  return found;
}

// A file as a part of a form, with what is around it.
const size = ([name, file]) => file.size + 3 * name.length + 1024;
const FAILED = { id: null, status: "failed", pages: null, pages_without_text: [], passages: 0, embedded: 0 };

// A document is called by its path below the folder that was given.
const within = (path) => path.slice(path.indexOf("/") + 1);

// Files of which no answer has come, whichever tab of the page is shown by then; and what the page before says of its own.
const onTheWay = new Set();
let untold = [], isTold = false, isLeft = false;
const leaves = (event) => {
  isLeft = true;
  if (onTheWay.size && !window.loadsAnew) event.preventDefault();
};
addEventListener("beforeunload", leaves);

export default {
  props: { url: String, headers: Object, accept: String, single: Boolean, most: Number },
  emits: ["begin", "answer"],
  template: `
    <div :class="{'drop-over': over}">
      <input type="file" ref="files" :multiple="!single" hidden :accept="accept" @change="chosen" />
      <input type="file" ref="folder" webkitdirectory hidden @change="chosen" />
      <slot />
    </div>`,
  data: () => ({ over: false }),
  // What misses the area is meant for it all the same: it takes what is dropped anywhere while it is to be seen.
  mounted() {
    this.sent = new Map();
    this.heard = { dragover: () => (this.over = this.isSeen()), dragleave: () => (this.over = false), drop: this.drop };
    for (const kind in this.heard) document.addEventListener(kind, this.heard[kind]);
    if (!this.single && !isTold) this.tellUnsent();
  },
  unmounted() {
    for (const kind in this.heard) document.removeEventListener(kind, this.heard[kind]);
  },
  methods: {
    isSeen() {
      return this.$el.isConnected && this.$el.offsetParent !== null;
    },
    pick(folder) {
      this.$refs[folder ? "folder" : "files"].click();
    },
    chosen(event) {
      const files = [...event.target.files].map((file) => [within(file.webkitRelativePath) || file.name, file]);
      event.target.value = "";
      this.send(files.filter(([name]) => !/(^|\/)\./.test(name)));
    },
    async drop(event) {
      this.over = false;
      if (!this.isSeen()) return;
      event.preventDefault();
      const entries = [...event.dataTransfer.items]
        .map((item) => item.webkitGetAsEntry() ?? item.getAsFile())
        .filter(Boolean);
      const files = (await Promise.all(entries.map((entry) => filesIn(entry, "")))).flat();
      const isOneFolder = entries.length === 1 && entries[0].isDirectory;
      this.send(isOneFolder ? files.map(([name, file]) => [within(name), file]) : files);
    },
    again(url, names) {
      this.send(names.map((name) => [name, this.sent.get(url).get(name)]), url);
    },
    // To where they were meant for, whatever is shown by the time that they go.
    async send(files, url = this.url) {
      this.sent.set(url, new Map([...(this.sent.get(url) ?? []), ...files]));
      if (this.single) files.splice(1);
      if (files.length) this.$emit("begin", { url, files: files.length });
      files = this.fitting(url, files);
      this.wait(files);
      const most = Math.min(MOST_BYTES, this.most || MOST_BYTES);
      while (files.length) {
        const some = [files.shift()];
        for (let bytes = size(some[0]); files.length && some.length < MOST_FILES; ) {
          bytes += size(files[0]);
          if (bytes > most || this.isJson(some[0]) || this.isJson(files[0])) break;
          some.push(files.shift());
        }
        await this.post(url, some);
        for (const file of some) onTheWay.delete(file);
        this.wait([]);
      }
    },
    // A page that is loaded anew, as where its server is started again, sends nothing more: the next one says so.
    place() {
      return `fletcher/files/${Object.values(this.headers)[0]}`;
    },
    wait(files) {
      for (const file of files) onTheWay.add(file);
      const names = [...untold, ...[...onTheWay].map(([name]) => name)];
      sessionStorage.removeItem(this.place());
      try {
        if (names.length) sessionStorage.setItem(this.place(), JSON.stringify(names));
      } catch {} // a story fills all that a browser keeps
    },
    async tellUnsent() {
      isTold = true;
      untold = JSON.parse(sessionStorage.getItem(this.place()) ?? "[]");
      if (!untold.length) return;
      // Nobody hears it before; and where the server knows nothing of a page any more, that is loaded once more.
      do await new Promise((yes) => setTimeout(yes, 500));
      while (!window.did_handshake);
      if (isLeft) return;
      const names = untold;
      untold = [];
      this.wait([]);
      const some = names.length > 3 ? [...names.slice(0, 3), "…"] : names;
      const what = `${names.length} ${names.length > 1 ? "files were" : "file was"} on the way: ${some.join(", ")}`;
      const message = `The page was loaded anew while ${what}. Add those again that do not appear in the list.`;
      this.$emit("answer", { url: this.url, answer: { error: { code: "NOT_SENT", message } } });
    },
    // What is too long for one request fails by itself, as what cannot be read does; and the second of a name, which
    // would take the place of the first where it goes in a later request.
    fitting(url, files) {
      const names = new Set(), problems = new Map();
      for (const given of files) {
        const [name, file] = given;
        if (!file) {
          const code = "UNREADABLE", problem = "the browser cannot read it. Look at who may, and add it again";
          problems.set(given, { code, message: `${name}: ${problem}.` });
        } else if (this.most && size(given) > this.most) {
          const code = "PAYLOAD_TOO_LARGE", long = `it has ${file.size} bytes, and the server takes ${this.most} at once`;
          problems.set(given, { code, message: `${name}: ${long}. Split it, or raise FLETCHER_MAX_UPLOAD_BYTES.` });
        } else if (names.has(name)) {
          const code = "DUPLICATE_NAME", twice = "another file of this name was given before it, and was taken";
          problems.set(given, { code, message: `${name}: ${twice}. Rename one of them, or add the folder that has both.` });
        } else names.add(name);
      }
      const documents = [...problems].map(([[name], error]) => ({ ...FAILED, name, error }));
      if (documents.length) this.$emit("answer", { url, answer: { documents } });
      return files.filter((file) => !problems.has(file));
    },
    isJson([name, file]) {
      return !this.single && WRITTEN_OTHERWISE.test(name) && file.size <= MOST_BYTES_OF_JSON;
    },
    async asRequest(files) {
      if (!this.isJson(files[0])) {
        const form = new FormData();
        for (const [name, file] of files) form.append("files", file, name);
        return { body: form, headers: this.headers };
      }
      const [[name, file]] = files, reader = new FileReader();
      const bytes = await new Promise((yes, no) => {
        Object.assign(reader, { onload: () => yes(reader.result), onerror: no }).readAsDataURL(file);
      });
      const documents = [{ name, content_base64: bytes.split(",")[1] ?? "" }];
      return { body: JSON.stringify({ documents }), headers: { ...this.headers, "Content-Type": "application/json" } };
    },
    async post(url, files) {
      try {
        const response = await fetch(url, { method: "POST", ...(await this.asRequest(files)) });
        this.$emit("answer", { url, answer: await response.json() });
      } catch {
        // A page that is left, or loaded anew once the server is there again, says nothing more: the next one does.
        do await new Promise((yes) => setTimeout(yes, 1000));
        while (!window.socket.connected);
        const message = "The files did not reach the server, or have changed on the disk. Is it running? Add them again.";
        this.$emit("answer", { url, answer: { error: { code: "NOT_SENT", message } } });
      }
    },
  },
};
