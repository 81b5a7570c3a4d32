// The words of one answer on the page, block by block. A frame holds blocks closed from index n on,
// and the open block or what was added to it; what is held already is skipped.
window.AnswerBody = class {
  static #template = document.createElement('template');
  #open = null;
  have = 0;
  epoch = null;

  constructor(body) { this.body = body; }

  apply(frame) {
    if (frame.e !== this.epoch) {
      this.body.replaceChildren();
      [this.have, this.epoch, this.#open] = [0, frame.e, null];
    }
    frame.c.forEach((html, index) => {
      if (frame.n + index < this.have) return;
      this.#fill(html);
      [this.#open, this.have] = [null, this.have + 1];
    });
    if (frame.a) this.#lengthen(frame.a);
    else if (frame.o) this.#fill(frame.o);
    else if (frame.o === '') { this.#open?.remove(); this.#open = null; }
  }

  #slot() { return this.#open ||= this.body.appendChild(document.createElement('div')); }

  #fill(html) {
    const slot = this.#slot(), unfolded = slot.querySelector('details[open]');
    const template = AnswerBody.#template;
    template.innerHTML = html;
    slot.replaceChildren(...template.content.childNodes);
    if (unfolded) slot.querySelector('details')?.setAttribute('open', '');
  }

  #lengthen(words) {
    const inside = this.#slot().querySelector('.thought, .plain, pre > code');
    if (inside) inside.lastChild ? inside.lastChild.appendData(words) : inside.append(words);
  }
};
