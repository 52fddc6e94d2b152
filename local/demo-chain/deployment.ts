import {
  type Address,
  concatHex,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  padHex,
  stringToHex,
} from 'viem';
import contractCode from './artifacts/contracts.json' with { type: 'json' };
import uniswapCode from './artifacts/uniswap.json' with { type: 'json' };
import { stockFactoryAbi } from './script/abis.ts';
import type { Contracts, OddContracts } from './script/contracts.ts';
import { lowerCase, type Script } from './script/script.ts';

type Code = { readonly [Name in keyof typeof contractCode | keyof typeof uniswapCode]: Hex };

const CODE = { ...contractCode, ...uniswapCode } as Code;
/** Where Multicall3 is on every chain that has it. */
const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';
const CREATIONS_PER_BLOCK = 4;
const STOCK_GAS = 1_000_000n;

/** Code that lies on the chain from the start, by address: no transaction can create it where it belongs. */
export const GENESIS_CODE: Readonly<Record<Address, Hex>> = { [MULTICALL]: CODE.Multicall };

interface TokenDetails {
  readonly name: Hex;
  readonly symbol: Hex;
  readonly decimals: number;
}

/** A stock token as its factory deploys it. */
interface StockListing {
  readonly uid: Hex;
  readonly name: string;
  readonly symbol: string;
  /** 18 decimals. */
  readonly initialMultiplier: bigint;
}

/** One that splits, and one whose multiplier grows with dividends and is not 1 from the start. */
const STOCKS: readonly [StockListing, StockListing] = [
  {
    uid: stringToHex('demo:ACRN', { size: 32 }),
    name: 'Acorn Industries',
    symbol: 'ACRN',
    initialMultiplier: 1_000_000_000_000_000_000n,
  },
  {
    uid: stringToHex('demo:BRCH', { size: 32 }),
    name: 'Birch Energy',
    symbol: 'BRCH',
    initialMultiplier: 1_000_957_500_000_000_000n,
  },
];

const NAMED_TOKENS = {
  dollar: { name: stringToHex('Demo Dollar'), symbol: stringToHex('dUSD'), decimals: 6 },
  garnet: { name: stringToHex('Garnet'), symbol: stringToHex('GRNT'), decimals: 18 },
  invalidUtf8Symbol: { name: '0x42726f6b656e20ff546578740a', symbol: '0xc328fffe42414421', decimals: 18 },
  nulSymbol: { name: stringToHex('Nul\0Token'), symbol: stringToHex('N\0U\0L'), decimals: 0 },
} as const satisfies Record<string, TokenDetails>;

/**
 * Creation code of a token. Name and symbol are bytes here, which Solidity lays out as it does a string, so that text
 * that is no UTF-8 can be passed.
 */
function tokenCreation({ name, symbol, decimals }: TokenDetails): Hex {
  const types = [{ type: 'bytes' }, { type: 'bytes' }, { type: 'uint8' }] as const;
  return concatHex([CODE.DemoErc20, encodeAbiParameters(types, [name, symbol, decimals])]);
}

/** Plans the creation of a token whose name sends its reader somewhere. */
export function createLure(script: Script, from: Address): Address {
  const name = stringToHex('Visit claim-demo.example to claim 1,000 USD');
  return script.create(from, tokenCreation({ name, symbol: stringToHex('CLAIM'), decimals: 18 }));
}

/** Creation code of a contract whose constructor takes one address. */
function creationWith(code: Hex, argument: Address): Hex {
  return concatHex([code, padHex(argument, { size: 32 })]);
}

/** Plans the creation of all contracts but the pools, in an order that their addresses depend on. */
export function deployContracts(script: Script, issuer: Address): Contracts {
  let created = 0;
  const create = (data: Hex): Address => {
    if (created > 0 && created % CREATIONS_PER_BLOCK === 0) script.endBlock();
    created += 1;
    return script.create(issuer, data);
  };
  const { dollar, garnet } = NAMED_TOKENS;
  const tokens = {
    dollar: create(tokenCreation(dollar)),
    garnet: create(tokenCreation(garnet)),
    wrappedNative: create(CODE.WrappedNative),
    nft: create(CODE.DemoErc721),
    items: create(CODE.DemoErc1155),
    marketplace: create(CODE.Marketplace),
  };
  const exchanges = {
    factoryV2: create(creationWith(CODE.UniswapV2Factory, issuer)),
    factoryV3: create(CODE.UniswapV3Factory),
    poolManagerV4: create(creationWith(CODE.UniswapV4PoolManager, issuer)),
    poolCaller: create(CODE.PoolCaller),
  };
  const stockImplementation = create(CODE.StockToken);
  const stockFactory = create(creationWith(CODE.StockFactory, stockImplementation));
  const odd = createOddContracts(create);
  script.endBlock();
  const stocks = deployStocks(script, issuer, stockFactory);
  script.endBlock();
  return { ...tokens, ...exchanges, stockImplementation, stockFactory, stocks, multicall: MULTICALL, odd };
}

function createOddContracts(create: (data: Hex) => Address): OddContracts {
  return {
    bytes32Symbol: create(CODE.Bytes32Erc20),
    invalidUtf8Symbol: create(tokenCreation(NAMED_TOKENS.invalidUtf8Symbol)),
    nulSymbol: create(tokenCreation(NAMED_TOKENS.nulSymbol)),
    noMetadata: create(CODE.BareErc20),
    unreadable: create(CODE.UnreadableErc20),
    feeOnTransfer: create(CODE.FeeErc20),
    rebasing: create(CODE.RebasingErc20),
    logEmitter: create(CODE.LogEmitter),
  };
}

/** The factory's first contracts, whose addresses follow from its own. */
function deployStocks(script: Script, issuer: Address, factory: Address): readonly [Address, Address] {
  for (const { uid, name, symbol, initialMultiplier } of STOCKS) {
    script.call({ from: issuer, to: factory, gas: STOCK_GAS }, stockFactoryAbi, 'deploy', [
      uid,
      name,
      symbol,
      initialMultiplier,
    ]);
  }
  const stock = (nonce: bigint) => lowerCase(getContractAddress({ from: factory, nonce }));
  return [stock(1n), stock(2n)];
}
