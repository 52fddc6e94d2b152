import type { ReleasedFunction } from './release-access.ts';
import { madeAt } from './way-back.ts';

const PERCENT = 100;

/** `17 (2026-11-20T23:15:00Z)`. */
export function versionText(released: ReleasedFunction, version: number | undefined): string {
  if (version === undefined) return '-';
  const made = madeAtText(released, version);
  return made === undefined ? `${version} (deleted)` : `${version} (${made})`;
}

/** When a version was made, ISO 8601 in seconds; undefined: it is gone. */
export function madeAtText(released: ReleasedFunction, version: number): string | undefined {
  const time = madeAt(released, version);
  return time === 0 ? undefined : `${new Date(time).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}

/** `17`, or `17, 10 % 18` while two versions share the requests. */
export function liveText(released: ReleasedFunction): string {
  const { version, second } = released.alias;
  const live = versionText(released, version);
  return second === undefined
    ? live
    : `${live}, ${Math.round(second.weight * PERCENT)} % ${versionText(released, second.version)}`;
}
