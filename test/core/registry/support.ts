// Shared by the tests of the registry: a scene with shorthands for its commands, and a copy of its state through a snapshot.

import assert from 'node:assert/strict';
import { REQUEST_USERNAME, SET_USERNAME } from '../../../core/codec/commands.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf } from '../../support/venue.ts';

export class RegistryScene extends Scene {
  name(wallet: number, name: string, kind: number = SET_USERNAME): number {
    return this.send(this.write.username(kind, wallet, this.next(), name));
  }

  request(wallet: number, name: string): number {
    return this.name(wallet, name, REQUEST_USERNAME);
  }

  see(wallet: number, ...ids: number[]): number {
    return this.send(this.write.seePayouts(wallet, this.next(), ids));
  }

  /** Conditions as a set of bits; returns the code. */
  compete(start: number, end: number, conditions = 1, primary = 0, texts: readonly string[] = ['Cup', '', '', '']): number {
    this.venue(this.write.competition(start, end, conditions, primary, texts));
    return this.state.result.code;
  }
}

/** A state loaded from a copy of this one, checked to have the same hash. */
export function reload(state: State): State {
  const loaded = createState(state.limits);
  restoreState(loaded, copyOf(state));
  assert.equal(hashOf(loaded), hashOf(state));
  return loaded;
}
