// What a setting of the process that cannot be used is refused with. Whoever starts the process prints the line.

/** A setting that cannot be used; `message` is the line to print. */
export class BadSetting extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, ' '));
    this.name = 'BadSetting';
  }
}
