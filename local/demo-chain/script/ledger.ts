import { type Address, zeroAddress } from 'viem';
import type {
  DemoItemBalance,
  DemoMultiplier,
  DemoOddLog,
  DemoSale,
  DemoSwap,
  DemoTransfer,
  DemoWrap,
  OddLogKind,
} from './records.ts';

/** The index of a token whose balances do not rebase. */
export const UNIT_INDEX = 10n ** 18n;

/** Where the plan stands: what every entry of the ledger is stamped with. */
export interface BlockTime {
  readonly number: number;
  /** Seconds since the epoch. */
  readonly timestamp: number;
}

/** The transfer that an event announces: an amount of ERC-20, or an item of ERC-721. */
interface Announced {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
}

interface MovedItem {
  readonly from: Address;
  readonly to: Address;
  readonly id: bigint;
  readonly amount: bigint;
}

interface TokenBook {
  /** Holdings before the index is applied. */
  readonly units: Map<Address, bigint>;
  supply: bigint;
  index: bigint;
}

/** The books of the demo chain: every planned transaction that changes them is written here as well. */
export class Ledger {
  readonly transfers: DemoTransfer[] = [];
  readonly wraps: DemoWrap[] = [];
  readonly sales: DemoSale[] = [];
  readonly swaps: DemoSwap[] = [];
  readonly oddLogs: DemoOddLog[] = [];
  readonly multipliers: DemoMultiplier[] = [];
  readonly nftOwners = new Map<bigint, Address>();
  private readonly items = new Map<string, DemoItemBalance>();
  private readonly books = new Map<Address, TokenBook>();
  private readonly now: () => BlockTime;

  /** @param now the block that is being planned */
  constructor(now: () => BlockTime) {
    this.now = now;
  }

  /** The result of `balanceOf`, or what it would be without its revert. */
  balanceOf(token: Address, holder: Address): bigint {
    const { units, index } = this.book(token);
    return ((units.get(holder) ?? 0n) * index) / UNIT_INDEX;
  }

  balancesOf(token: Address): Map<Address, bigint> {
    const holders = [...this.book(token).units.keys()].sort();
    const balances = holders.map((holder): [Address, bigint] => [holder, this.balanceOf(token, holder)]);
    return new Map(balances.filter(([, balance]) => balance > 0n));
  }

  totalSupply(token: Address): bigint {
    return this.book(token).supply;
  }

  mint(token: Address, to: Address, amount: bigint): void {
    const book = this.book(token);
    book.supply += amount;
    credit(book, to, amount);
    this.record('erc20', { token, from: zeroAddress, to, amount });
  }

  burn(token: Address, from: Address, amount: bigint): void {
    const book = this.book(token);
    book.supply -= amount;
    credit(book, from, -amount);
    this.record('erc20', { token, from, to: zeroAddress, amount });
  }

  transfer(token: Address, from: Address, to: Address, amount: bigint): void {
    const book = this.book(token);
    const units = (amount * UNIT_INDEX) / book.index;
    credit(book, from, -units);
    credit(book, to, units);
    this.record('erc20', { token, from, to, amount });
  }

  /** A part of a transfer goes to another address than its event says. */
  divert(token: Address, from: Address, to: Address, amount: bigint): void {
    credit(this.book(token), from, -amount);
    credit(this.book(token), to, amount);
  }

  /** Scales all balances of a token, as its contract does. */
  rebase(token: Address, index: bigint): void {
    const book = this.book(token);
    book.supply = (book.supply * index) / book.index;
    book.index = index;
  }

  /** Wraps the native token, or unwraps it if the amount is negative. */
  wrap(token: Address, account: Address, change: bigint): void {
    const book = this.book(token);
    book.supply += change;
    credit(book, account, change);
    const [kind, amount] = change > 0n ? (['deposit', change] as const) : (['withdrawal', -change] as const);
    this.wraps.push({ blockNumber: this.now().number, kind, account, amount });
  }

  /** A transfer that an event announces and no books of ours keep. */
  announce(standard: 'erc20' | 'erc721', { value, ...movement }: Announced): void {
    if (standard === 'erc20') this.record(standard, { ...movement, amount: value });
    else this.record(standard, { ...movement, amount: 1n, tokenId: value });
  }

  moveNft(nft: Address, from: Address, to: Address, tokenId: bigint): void {
    if (to === zeroAddress) this.nftOwners.delete(tokenId);
    else this.nftOwners.set(tokenId, to);
    this.announce('erc721', { token: nft, from, to, value: tokenId });
  }

  recordSale(sale: Omit<DemoSale, 'blockNumber'>): void {
    this.sales.push({ blockNumber: this.now().number, ...sale });
  }

  itemsOf(holder: Address, id: bigint): bigint {
    return this.items.get(`${holder} ${id}`)?.amount ?? 0n;
  }

  moveItems(token: Address, { from, to, id, amount }: MovedItem): void {
    if (from !== zeroAddress) this.creditItems(from, id, -amount);
    if (to !== zeroAddress) this.creditItems(to, id, amount);
    this.record('erc1155', { token, from, to, amount, tokenId: id });
  }

  itemBalances(): DemoItemBalance[] {
    const keys = [...this.items.keys()].sort();
    return keys.flatMap((key) => this.items.get(key) ?? []).filter(({ amount }) => amount > 0n);
  }

  recordSwap(swap: Omit<DemoSwap, 'blockNumber' | 'timestamp'>): void {
    const { number, timestamp } = this.now();
    this.swaps.push({ blockNumber: number, timestamp, ...swap });
  }

  recordOddLog(kind: OddLogKind): void {
    this.oddLogs.push({ blockNumber: this.now().number, kind });
  }

  recordMultiplier(announced: Omit<DemoMultiplier, 'blockNumber' | 'setAt'>): void {
    const { number, timestamp } = this.now();
    this.multipliers.push({ blockNumber: number, setAt: timestamp, ...announced });
  }

  private book(token: Address): TokenBook {
    const known = this.books.get(token);
    if (known !== undefined) return known;
    const book: TokenBook = { units: new Map(), supply: 0n, index: UNIT_INDEX };
    this.books.set(token, book);
    return book;
  }

  private record(
    standard: DemoTransfer['standard'],
    movement: Omit<DemoTransfer, 'blockNumber' | 'timestamp' | 'standard'>,
  ): void {
    const { number: blockNumber, timestamp } = this.now();
    this.transfers.push({ blockNumber, timestamp, standard, ...movement });
  }

  private creditItems(holder: Address, id: bigint, change: bigint): void {
    const amount = this.itemsOf(holder, id) + change;
    if (amount < 0n) throw new Error(`the plan takes more of item ${id} than ${holder} has`);
    this.items.set(`${holder} ${id}`, { holder, id, amount });
  }
}

function credit({ units }: TokenBook, holder: Address, change: bigint): void {
  const balance = (units.get(holder) ?? 0n) + change;
  if (balance < 0n) throw new Error(`the plan takes more of a token than ${holder} has`);
  units.set(holder, balance);
}
