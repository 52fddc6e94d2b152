// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

import {BareErc20} from "./BareErc20.sol";

/// An ERC-20 token with metadata. Name and symbol are stored as given, valid UTF-8 or not.
contract DemoErc20 is BareErc20 {
    string public name;
    string public symbol;
    uint8 public immutable decimals;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }
}
