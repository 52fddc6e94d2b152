/** A bucket of waiting time that all instances share. */
export interface WaitingRoom {
  /** What the time is spent on: a chain, or a key. Its rooms are one item. */
  readonly of: string;
  /** What kind of waiting it is. */
  readonly kind: string;
  /** How many instances may wait at a time, in the long run: as many milliseconds flow back in each. */
  readonly seats: number;
  /** Waiting time that it saves up, in milliseconds. @default that of the store */
  readonly burstMs?: number;
}

/** What instances tell each other of a subject. */
export type WaitingWord = 'silent' | 'unheard';

/** What became of a draw. */
export interface WaitingDrawn {
  readonly granted: boolean;
  /** When the subject was last found silent, in milliseconds since the epoch; 0: never, or it answered since. */
  readonly silentAt: number;
  /** When an instance last waited for it in vain for far longer than usual, in milliseconds since the epoch; 0: never. */
  readonly unheardAt: number;
  /** When not granted: time after which the same draw would be, as far as is known, in milliseconds. */
  readonly waitMs?: number;
}

/** Waiting time that all instances share. Each method rejects when the store refuses or does not answer in its time. */
export interface WaitingStore {
  /** Draws waiting time, in milliseconds: all of it, or none. What the last item seen has no room for is not sent. */
  draw(room: WaitingRoom, ms: number): Promise<WaitingDrawn>;
  /** Gives back what was drawn and not used, in milliseconds, and notes that the subject answered. */
  giveBack(room: WaitingRoom, ms: number): Promise<void>;
  /** Tells all instances that draw that the subject is silent, or that it has been silent for longer than usual. */
  tell(of: string, word: WaitingWord): Promise<void>;
}
