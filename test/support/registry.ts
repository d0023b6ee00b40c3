// Tests that install packages are skipped by name where no registry can be reached, and for no other reason.

const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/;

/** `errors`: what npm wrote as it failed. */
export function lacksRegistry(errors: string): boolean {
  return NO_REGISTRY.test(errors);
}
