// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

import {BareErc20} from "./BareErc20.sol";
import {DemoErc20} from "./DemoErc20.sol";

/// Name and symbol are bytes32, as in tokens older than the standard.
contract Bytes32Erc20 is BareErc20 {
    bytes32 public constant name = "Old Style Token";
    bytes32 public constant symbol = "OLD";
    uint8 public constant decimals = 18;
}

/// Nobody's balance can be read.
contract UnreadableErc20 is DemoErc20("Unreadable Token", "DARK", 18) {
    function balanceOf(address) public pure override returns (uint256) {
        revert("balances are private");
    }
}

/// One hundredth of each transfer goes to the owner; the one Transfer event names the whole amount.
contract FeeErc20 is DemoErc20("Fee Token", "FEE", 18) {
    function move(address from, address to, uint256 amount) internal override {
        uint256 fee = amount / 100;
        require(units[from] >= amount, "balance too small");
        units[from] -= amount;
        units[to] += amount - fee;
        units[owner] += fee;
        announce(from, to, amount);
    }
}

/// Balances grow and shrink with an index and no event says so.
contract RebasingErc20 is DemoErc20("Rebasing Token", "RBS", 18) {
    uint256 public index = 1e18;

    function rebase(uint256 newIndex) external {
        require(msg.sender == owner, "only the owner rebases");
        totalSupply = (totalSupply * newIndex) / index;
        index = newIndex;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return (units[holder] * index) / 1e18;
    }

    function move(address from, address to, uint256 amount) internal override {
        uint256 moved = (amount * 1e18) / index;
        require(units[from] >= moved, "balance too small");
        units[from] -= moved;
        units[to] += moved;
        announce(from, to, amount);
    }
}

/// Emits whatever log it is asked for: up to four topics and any data.
contract LogEmitter {
    function emitLog(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory copy = data;
        uint256 count = topics.length;
        require(count <= 4, "a log has at most four topics");
        bytes32[4] memory topic;
        for (uint256 i = 0; i < count; i++) topic[i] = topics[i];
        assembly ("memory-safe") {
            let start := add(copy, 32)
            let size := mload(copy)
            let first := mload(topic)
            let second := mload(add(topic, 32))
            let third := mload(add(topic, 64))
            let fourth := mload(add(topic, 96))
            switch count
            case 0 { log0(start, size) }
            case 1 { log1(start, size, first) }
            case 2 { log2(start, size, first, second) }
            case 3 { log3(start, size, first, second, third) }
            default { log4(start, size, first, second, third, fourth) }
        }
    }
}
