// What the journal thread of a node shows of its cluster, and the roles that the other threads ask for.

export const ROLES = { alone: 0, follower: 1, leader: 2 } as const;
export const ROLE_NAMES = ['alone', 'follower', 'leader'] as const;

type NodeStatus = {
  readonly node: string;
  readonly role: 'leader' | 'follower';
  readonly epoch: number;
  /** Of the newest accepted message. */
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
