// The error for an invalid setting: whoever starts the process prints its message as one line.

export class BadSetting extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, ' '));
    this.name = 'BadSetting';
  }
}
