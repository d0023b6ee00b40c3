// Passes questions of a copy of the venue to the history thread; the head tells it how far it is behind.

import type { AnswerTo } from '../../http/shapes/answers.ts';
import type {
  BackupAnswer, BackupFilePage, BackupJournalPage, BackupQuery, BackupRefusal, BackupStatus,
} from '../../ipc/backup.ts';
import type { Head } from '../../storage/journal/chain.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { historyBusy, ok, refused, type GiveAnswer } from '../answers.ts';
import type { HistoryLink } from './link.ts';

export class Backups {
  readonly #history: HistoryLink;
  readonly #head: () => Head;

  constructor(history: HistoryLink, head: () => Head) {
    this.#history = history;
    this.#head = head;
  }

  readonly handlers = {
    backup: (parameters: QueryParameters['backup'], give: GiveAnswer) => this.#ask({ name: 'backup', ...parameters }, give),
    backupFile: (parameters: QueryParameters['backupFile'], give: GiveAnswer) => this.#ask({ name: 'backupFile', ...parameters }, give),
    backupJournal: (parameters: QueryParameters['backupJournal'], give: GiveAnswer) => (
      this.#ask({ name: 'backupJournal', ...parameters }, give)
    ),
  };

  #ask(query: BackupQuery, give: GiveAnswer): void {
    const isAsked = this.#history.ask(query, ([row]) => {
      const answer = row as BackupAnswer;
      if ('error' in answer) give(refused('bare', 'not_found', answer.error));
      else give(ok(JSON.stringify({ success: true, data: this.#body(answer) })));
    });
    if (!isAsked) give(historyBusy('bare'));
  }

  #body(answer: Exclude<BackupAnswer, BackupRefusal>): AnswerTo<BackupRoute>['data'] {
    return isFilePage(answer) ? answer : { ...answer, head_seq: this.#head().seq };
  }
}

type BackupRoute = 'GET /admin/backup' | 'GET /admin/backup/file' | 'GET /admin/backup/journal';

function isFilePage(answer: BackupStatus | BackupFilePage | BackupJournalPage): answer is BackupFilePage {
  return 'offset' in answer;
}
