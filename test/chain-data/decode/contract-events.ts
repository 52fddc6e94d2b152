import { parseAbiItem } from 'viem';

/** Events of tokens that move, and of the wrapped native token. */
export const TOKEN_EVENTS = {
  erc20: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
  erc721: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed id)'),
  single: parseAbiItem(
    'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  ),
  batch: parseAbiItem(
    'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  ),
  consecutive: parseAbiItem(
    'event ConsecutiveTransfer(uint256 indexed fromId, uint256 toId, address indexed from, address indexed to)',
  ),
  uri: parseAbiItem('event URI(string value, uint256 indexed id)'),
  deposit: parseAbiItem('event Deposit(address indexed dst, uint256 wad)'),
  withdrawal: parseAbiItem('event Withdrawal(address indexed src, uint256 wad)'),
};

/** Events of the exchanges: V2 has a contract for each pair, V3 for each pool, V4 one for all pools. */
export const V2_EVENTS = {
  created: parseAbiItem('event PairCreated(address indexed t0, address indexed t1, address pair, uint256 n)'),
  swap: parseAbiItem(
    'event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to)',
  ),
  sync: parseAbiItem('event Sync(uint112 reserve0, uint112 reserve1)'),
  mint: parseAbiItem('event Mint(address indexed sender, uint256 amount0, uint256 amount1)'),
  burn: parseAbiItem(
    'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)',
  ),
};

export const V3_EVENTS = {
  created: parseAbiItem(
    'event PoolCreated(address indexed t0, address indexed t1, uint24 indexed fee, int24 tickSpacing, address pool)',
  ),
  initialize: parseAbiItem('event Initialize(uint160 sqrtPriceX96, int24 tick)'),
  swap: parseAbiItem(
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick)',
  ),
  pancakeSwap: parseAbiItem(
    'event Swap(address indexed sender, address indexed recipient, int256 a0, int256 a1, uint160 price, uint128 liquidity, int24 tick, uint128 f0, uint128 f1)',
  ),
  mint: parseAbiItem(
    'event Mint(address sender, address indexed owner, int24 indexed lower, int24 indexed upper, uint128 amount, uint256 a0, uint256 a1)',
  ),
  burn: parseAbiItem(
    'event Burn(address indexed owner, int24 indexed lower, int24 indexed upper, uint128 amount, uint256 a0, uint256 a1)',
  ),
  collect: parseAbiItem(
    'event Collect(address indexed owner, address recipient, int24 indexed lower, int24 indexed upper, uint128 a0, uint128 a1)',
  ),
};

export const V4_EVENTS = {
  initialize: parseAbiItem(
    'event Initialize(bytes32 indexed id, address indexed c0, address indexed c1, uint24 fee, int24 tickSpacing, address hooks, uint160 price, int24 tick)',
  ),
  swap: parseAbiItem(
    'event Swap(bytes32 indexed id, address indexed sender, int128 a0, int128 a1, uint160 price, uint128 liquidity, int24 tick, uint24 fee)',
  ),
  modify: parseAbiItem(
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 lower, int24 upper, int256 delta, bytes32 salt)',
  ),
  donate: parseAbiItem('event Donate(bytes32 indexed id, address indexed sender, uint256 a0, uint256 a1)'),
};

/** A token of a stock splits, now or at a later time. */
export const MULTIPLIER_UPDATED = parseAbiItem(
  'event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 setAt, uint256 effectiveAt)',
);
