// Browsers start no workers for pages that are opened from a disk. Search needs one, so this
// script gives such pages a worker that runs in a hidden frame. On a server it does nothing.
(function () {
  if (location.protocol !== "file:") return;

  const inner = `
    self.postMessage = data => frameElement.dispatchEvent(new CustomEvent("said", {detail: data}));
    self.importScripts = (...urls) => urls.reduce((done, url) => done.then(() =>
      new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        document.body.appendChild(script);
      })), Promise.resolve());`;

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.style.display = "none";
      document.body.appendChild(frame);
      frame.addEventListener("said", event => {
        const message = new MessageEvent("message", {data: event.detail});
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
      this.frame = frame;
      this.ready = new Promise(resolve => { frame.onload = resolve; });
      const page = frame.contentDocument;
      page.open();
      page.write("<!doctype html><body><script>" + inner + "<\/script>" +
        "<script src=\"" + url + "\"><\/script></body>");
      page.close();
    }

    postMessage(data) {
      this.ready.then(() => {
        const target = this.frame.contentWindow;
        target.dispatchEvent(new target.MessageEvent("message", {data}));
      });
    }

    terminate() { this.frame.remove(); }
  };
})();
