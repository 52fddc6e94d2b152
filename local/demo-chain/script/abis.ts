import { parseAbi } from 'viem';

/** ERC-20 as all fungible tokens of the demo chain have it; `mint` is their owner's. */
export const erc20Abi = parseAbi([
  'function balanceOf(address holder) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function mint(address to, uint256 amount)',
  'function burn(uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]);

export const wrappedNativeAbi = parseAbi(['function deposit() payable', 'function withdraw(uint256 amount)']);

export const rebasingAbi = parseAbi(['function rebase(uint256 newIndex)']);

export const logEmitterAbi = parseAbi(['function emitLog(bytes32[] topics, bytes data)']);

export const erc721Abi = parseAbi([
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function balanceOf(address holder) view returns (uint256)',
  'function mint(address to, uint256 tokenId)',
  'function burn(uint256 tokenId)',
  'function setApprovalForAll(address operator, bool approved)',
  'function transferFrom(address from, address to, uint256 tokenId)',
]);

export const erc1155Abi = parseAbi([
  'function balanceOf(address holder, uint256 id) view returns (uint256)',
  'function announceUri(uint256 id, string value)',
  'function mint(address to, uint256 id, uint256 value)',
  'function mintBatch(address to, uint256[] ids, uint256[] values)',
  'function burn(uint256 id, uint256 value)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)',
]);

export const marketplaceAbi = parseAbi([
  'function list(address nft, uint256 tokenId, uint256 price)',
  'function buy(address nft, uint256 tokenId) payable',
  'function sweep(address nft, uint256[] tokenIds) payable',
]);

export const stockAbi = parseAbi([
  'function uiMultiplier() view returns (uint256)',
  'function newUIMultiplier() view returns (uint256)',
  'function effectiveAt() view returns (uint256)',
  'function setUIMultiplier(uint256 multiplier, uint256 effectiveAt)',
]);

export const stockFactoryAbi = parseAbi([
  'function deploy(bytes32 uid, string name, string symbol, uint256 multiplier)',
]);

export const factoryV2Abi = parseAbi([
  'function createPair(address tokenA, address tokenB) returns (address)',
]);

export const factoryV3Abi = parseAbi([
  'function createPool(address tokenA, address tokenB, uint24 fee) returns (address)',
]);

export const poolV3Abi = parseAbi([
  'function initialize(uint160 sqrtPriceX96)',
  'function burn(int24 lower, int24 upper, uint128 liquidity)',
  'function collect(address to, int24 lower, int24 upper, uint128 amount0, uint128 amount1)',
  'function liquidity() view returns (uint128)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)',
]);

const POOL_KEY = [
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
] as const;

export const poolManagerV4Abi = parseAbi([
  ...POOL_KEY,
  'function initialize(PoolKey key, uint160 sqrtPriceX96) returns (int24)',
]);

export const poolCallerAbi = parseAbi([
  ...POOL_KEY,
  'struct ModifyLiquidityParams { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }',
  'function addLiquidityV2(address pair, uint256 amount0, uint256 amount1)',
  'function removeLiquidityV2(address pair, uint256 liquidity)',
  'function swapV2(address pair, bool zeroForOne, uint256 amountIn, uint256 amountOut)',
  'function mintV3(address pool, int24 lower, int24 upper, uint128 liquidity)',
  'function swapV3(address pool, bool zeroForOne, uint256 amountIn)',
  'function modifyLiquidityV4(address manager, PoolKey key, ModifyLiquidityParams params) payable',
  'function swapV4(address manager, PoolKey key, bool zeroForOne, uint256 amountIn) payable',
]);
