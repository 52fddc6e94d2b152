// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.30;

/// An ERC-20 token without name, symbol and decimals; its owner mints.
contract BareErc20 {
    address public owner = msg.sender;
    uint256 public totalSupply;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) internal units;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function balanceOf(address holder) public view virtual returns (uint256) {
        return units[holder];
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == owner, "only the owner mints");
        totalSupply += amount;
        units[to] += amount;
        announce(address(0), to, amount);
    }

    function burn(uint256 amount) external {
        totalSupply -= amount;
        units[msg.sender] -= amount;
        announce(msg.sender, address(0), amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= amount, "allowance too small");
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) internal virtual {
        require(units[from] >= amount, "balance too small");
        units[from] -= amount;
        units[to] += amount;
        announce(from, to, amount);
    }

    function announce(address from, address to, uint256 amount) internal virtual {
        emit Transfer(from, to, amount);
    }
}
