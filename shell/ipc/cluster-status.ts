// What the journal thread of a node shows of its cluster, and the roles that the other threads ask for.

export const ROLES = { alone: 0, follower: 1, leader: 2 } as const;
export const ROLE_NAMES = ['alone', 'follower', 'leader'] as const;

/** Whether the log takes commands. `none`: it has accepted nothing for a second. */
export const LOG_STATES = { ok: 0, none: 1, full: 2 } as const;

type NodeStatus = {
  readonly node: string;
  readonly role: 'leader' | 'follower';
  readonly epoch: number;
  readonly position: number;
  readonly seq: number;
};
export type ClusterStatus = NodeStatus & {
  /** Where clients reach the leader; empty: not told. */
  readonly leader: string;
  /** Its name; null: nobody leads. */
  readonly owner: string | null;
  readonly peers: readonly (NodeStatus & { readonly url: string; readonly skewMs: number; readonly isPresent: boolean })[];
};
