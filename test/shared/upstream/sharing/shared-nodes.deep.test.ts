/** What all processes of a large stage write of nodes stays below what DynamoDB takes. */
import { expectRoomInItem } from './room-in-item.ts';

test('5,000 processes that learn of a dead node and a new plan at once stay below half of what an item takes', () =>
  expectRoomInItem(5_000));
