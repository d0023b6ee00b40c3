// The version of the interface, in its descriptions and in the log: the package's version.

export const VERSION = '0.0.1';
