// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IPairV2 {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address to) external returns (uint256);
    function burn(address to) external returns (uint256, uint256);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

interface IPoolV3 {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256, uint256);
    function swap(address to, bool zeroForOne, int256 amount, uint160 priceLimit, bytes calldata data)
        external
        returns (int256, int256);
}

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct ModifyLiquidityParams {
    int24 tickLower;
    int24 tickUpper;
    int256 liquidityDelta;
    bytes32 salt;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManagerV4 {
    function unlock(bytes calldata data) external returns (bytes memory);
    function modifyLiquidity(PoolKey calldata key, ModifyLiquidityParams calldata params, bytes calldata hookData)
        external
        returns (int256, int256);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

/// Trades and provides liquidity on Uniswap V2, V3 and V4 for its caller, who has approved it for the tokens.
contract PoolCaller {
    uint160 private constant MIN_PRICE = 4295128739 + 1;
    uint160 private constant MAX_PRICE = 1461446703485210103287273052203988822378723970342 - 1;

    function addLiquidityV2(IPairV2 pair, uint256 amount0, uint256 amount1) external {
        IToken(pair.token0()).transferFrom(msg.sender, address(pair), amount0);
        IToken(pair.token1()).transferFrom(msg.sender, address(pair), amount1);
        pair.mint(msg.sender);
    }

    function removeLiquidityV2(IPairV2 pair, uint256 liquidity) external {
        IToken(address(pair)).transferFrom(msg.sender, address(pair), liquidity);
        pair.burn(msg.sender);
    }

    function swapV2(IPairV2 pair, bool zeroForOne, uint256 amountIn, uint256 amountOut) external {
        address tokenIn = zeroForOne ? pair.token0() : pair.token1();
        IToken(tokenIn).transferFrom(msg.sender, address(pair), amountIn);
        pair.swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, msg.sender, "");
    }

    function mintV3(IPoolV3 pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.mint(msg.sender, lower, upper, liquidity, abi.encode(msg.sender));
    }

    function swapV3(IPoolV3 pool, bool zeroForOne, uint256 amountIn) external {
        uint160 limit = zeroForOne ? MIN_PRICE : MAX_PRICE;
        pool.swap(msg.sender, zeroForOne, int256(amountIn), limit, abi.encode(msg.sender));
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        payV3(amount0, amount1, abi.decode(data, (address)));
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external {
        payV3(
            delta0 > 0 ? uint256(delta0) : 0, delta1 > 0 ? uint256(delta1) : 0, abi.decode(data, (address))
        );
    }

    function modifyLiquidityV4(IPoolManagerV4 manager, PoolKey calldata key, ModifyLiquidityParams calldata params)
        external
        payable
    {
        manager.unlock(abi.encode(msg.sender, key, false, abi.encode(params)));
    }

    function swapV4(IPoolManagerV4 manager, PoolKey calldata key, bool zeroForOne, uint256 amountIn)
        external
        payable
    {
        SwapParams memory params =
            SwapParams(zeroForOne, -int256(amountIn), zeroForOne ? MIN_PRICE : MAX_PRICE);
        manager.unlock(abi.encode(msg.sender, key, true, abi.encode(params)));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        IPoolManagerV4 manager = IPoolManagerV4(msg.sender);
        (address trader, PoolKey memory key, bool isSwap, bytes memory params) =
            abi.decode(data, (address, PoolKey, bool, bytes));
        int256 delta;
        if (isSwap) delta = manager.swap(key, abi.decode(params, (SwapParams)), "");
        else (delta, ) = manager.modifyLiquidity(key, abi.decode(params, (ModifyLiquidityParams)), "");
        settleV4(manager, key.currency0, trader, int128(delta >> 128));
        settleV4(manager, key.currency1, trader, int128(delta));
        return "";
    }

    /// Pays what the trader owes (a negative delta), or hands out what is due.
    function settleV4(IPoolManagerV4 manager, address currency, address trader, int256 delta) private {
        if (delta > 0) return manager.take(currency, trader, uint256(delta));
        if (delta == 0) return;
        uint256 owed = uint256(-delta);
        if (currency == address(0)) {
            manager.settle{value: owed}();
            return;
        }
        manager.sync(currency);
        IToken(currency).transferFrom(trader, address(manager), owed);
        manager.settle();
    }

    /// Like any test router it trusts its caller: the tokens come from whoever the data names.
    function payV3(uint256 amount0, uint256 amount1, address payer) private {
        IPoolV3 pool = IPoolV3(msg.sender);
        if (amount0 > 0) IToken(pool.token0()).transferFrom(payer, msg.sender, amount0);
        if (amount1 > 0) IToken(pool.token1()).transferFrom(payer, msg.sender, amount1);
    }
}
