// The version of the interface, which its descriptions and the log tell: that of the package.

export const VERSION = '0.0.1';
