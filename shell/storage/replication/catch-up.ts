// When a node that starts has caught up, and so counts as ready: it has written what the log held when it joined, and then what others were
// heard to hold by that time.

type Progress = {
  readonly next: number;
  readonly heard: number;
  readonly isWritten: boolean;
};

export class CatchUp {
  #to: number;
  #rounds = 2;

  constructor(lastPosition: number) {
    this.#to = lastPosition;
  }

  /** How many positions it lacks; 0 for good once there are none. */
  left({ next, heard, isWritten }: Progress): number {
    while (this.#rounds > 0 && next > this.#to && isWritten) {
      this.#rounds--;
      this.#to = heard;
    }
    return this.#rounds === 0 ? 0 : Math.max(1, this.#to - next + 1);
  }
}
