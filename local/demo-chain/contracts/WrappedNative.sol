// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

import {BareErc20} from "./BareErc20.sol";

/// The chain's native token as ERC-20: like WETH9 it announces deposits and withdrawals by no Transfer.
contract WrappedNative is BareErc20 {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;

    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    function deposit() external payable {
        totalSupply += msg.value;
        units[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        totalSupply -= amount;
        units[msg.sender] -= amount;
        emit Withdrawal(msg.sender, amount);
        (bool paid, ) = msg.sender.call{value: amount}("");
        require(paid, "payment refused");
    }
}
